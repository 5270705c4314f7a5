// Selects the lines to draw when a scope has more than can be laid out in reasonable time.

/** @typedef {import("./scope_layout.js").Line} Line */

/** ELK takes one second for so many lines, and half a minute for ten times as many. */
const MAX_LINES = 1000;

/** Keeps the shortest lines, and at least the shortest of each end so that no box loses its connections.
 * @param {Line[]} lines @param {readonly string[]} boxes in execution order @returns {Line[]} in their order */
export function thinLines(lines, boxes) {
  if (lines.length <= MAX_LINES) return lines;
  const positions = new Map(boxes.map((id, place) => [id, place]));
  // The id of a port of an expanded scope starts with the scope's name; border ports count as adjacent to every box.
  const positionOf = (/** @type {string} */ end) => positions.get(end.split("\0", 1)[0]);
  const lengthOf = (/** @type {Line} */ { from, to }) => {
    const [source, target] = [positionOf(from), positionOf(to)];
    return source === undefined || target === undefined ? 0 : Math.abs(target - source);
  };
  const byLength = lines
    .map((line) => ({ line, length: lengthOf(line) }))
    .sort((a, b) => a.length - b.length)
    .map(({ line }) => line);
  const [connectedSources, connectedTargets, kept] = [new Set(), new Set(), new Set()];
  for (const line of byLength) {
    if (!connectedSources.has(line.from) || !connectedTargets.has(line.to)) kept.add(line);
    connectedSources.add(line.from);
    connectedTargets.add(line.to);
  }
  for (const line of byLength) {
    if (kept.size >= MAX_LINES) break;
    kept.add(line);
  }
  return lines.filter((line) => kept.has(line));
}
