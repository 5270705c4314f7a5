// Which lines of a scope are drawn when it has more than can be laid out in the time a reader waits.

/** @typedef {import("./elk.js").Line} Line */

/** Of a scope: ELK takes a second for so many, and half a minute for ten times as many. */
const MOST_LINES = 1000;

/** Those that lead least far; of each end at least the shortest, so that nothing stands there unconnected.
 * @param {Line[]} lines @param {readonly string[]} boxes in the order in which they run @returns {Line[]} in their order */
export function thinned(lines, boxes) {
  if (lines.length <= MOST_LINES) return lines;
  const places = new Map(boxes.map((id, place) => [id, place]));
  // A port of an opened scope begins with the scope's name; one of the border is near to everything.
  const placeOf = (/** @type {string} */ end) => places.get(end.split("\0", 1)[0]);
  const lengthOf = (/** @type {Line} */ { from, to }) => {
    const [source, target] = [placeOf(from), placeOf(to)];
    return source === undefined || target === undefined ? 0 : Math.abs(target - source);
  };
  const byLength = lines
    .map((line) => ({ line, length: lengthOf(line) }))
    .sort((one, other) => one.length - other.length)
    .map(({ line }) => line);
  const [begun, ended, kept] = [new Set(), new Set(), new Set()];
  for (const line of byLength) {
    if (!begun.has(line.from) || !ended.has(line.to)) kept.add(line);
    begun.add(line.from);
    ended.add(line.to);
  }
  for (const line of byLength) {
    if (kept.size >= MOST_LINES) break;
    kept.add(line);
  }
  return lines.filter((line) => kept.has(line));
}
