// Which lines of a crowded chart keep their colours: those of the best and of marked runs; the others are its context.

/** @typedef {import("../../charts/plot.js").Line} Line */

/** Lines that colours and dashes distinguish. */
const MAX_DISTINGUISHED = 24;
/** Runs with the best last values that keep their colours. */
const BEST = 5;

/** @param {Line[]} lines @param {ReadonlySet<string>} marked runs
 * @param {(tag: string) => "min" | "max" | null} goalOf which values of a tag are best; null = it is not known
 * @returns {Line[]} in the same order */
export function withContext(lines, marked, goalOf) {
  const own = lines.filter(({ isBaseline }) => !isBaseline);
  if (own.length <= MAX_DISTINGUISHED) return lines;
  const isCrowd = new Set(own.map(({ run }) => run)).size > MAX_DISTINGUISHED;
  const best = isCrowd ? bestRuns(own, goalOf(own[0].tag ?? "")) : [];
  return lines.map((line) =>
    line.isBaseline
      ? line
      : {
          ...line,
          style: { ...line.style, dash: 0 },
          isContext: isCrowd && !best.includes(line.run) && !marked.has(line.run),
        },
  );
}

/** By the last values of the first tag. @param {Line[]} lines @param {"min" | "max" | null} goal */
function bestRuns(lines, goal) {
  if (goal === null) return [];
  const sign = goal === "min" ? 1 : -1;
  return lines
    .filter((line) => line.tag === lines[0].tag)
    .map(({ run, ys }) => ({ run, last: sign * (ys.findLast(Number.isFinite) ?? Infinity * sign) }))
    .sort((a, b) => a.last - b.last)
    .slice(0, BEST)
    .map(({ run }) => run);
}
