// How many runs lie where on an axis: the bars of a distribution.

/** @typedef {import("./scale.js").Scale} Scale */

/** @param {Scale} scale @param {number} most bars */
export const binCount = ({ kind, column }, most) =>
  kind === "category" ? Math.max(1, column.categories.length) : most;

/** Counts of the runs with a place on the axis, from its lower end on.
 * @param {Scale} scale @param {Iterable<number>} rows @param {number} bins */
export function countsOf({ places }, rows, bins) {
  const counts = new Uint32Array(bins);
  for (const row of rows) if (places[row] >= 0) counts[Math.min(bins - 1, Math.floor(places[row] * bins))]++;
  return counts;
}

/** @param {Uint32Array} counts */
export const most = (counts) => counts.reduce((largest, count) => Math.max(largest, count), 0);
