// Counts the runs in equal intervals of an axis.

/** @typedef {import("./scale.js").Scale} Scale */

/** @param {Scale} scale @param {number} maximum for numbers */
export const binCount = ({ kind, column }, maximum) =>
  kind === "category" ? Math.max(1, column.categories.length) : maximum;

/** The counts of runs with a place on the axis, starting at its lower end.
 * @param {Scale} scale @param {Iterable<number>} rows @param {number} bins */
export function countsOf({ places }, rows, bins) {
  const counts = new Uint32Array(bins);
  for (const row of rows) if (places[row] >= 0) counts[Math.min(bins - 1, Math.floor(places[row] * bins))]++;
  return counts;
}

/** @param {Uint32Array} counts */
export const highestCount = (counts) => counts.reduce((largest, count) => Math.max(largest, count), 0);
