// The order of categories on an axis: by the mean of the target, the largest first, which is drawn at the top.

/** @typedef {import("../../../controls/run_plots/columns.js").Column} Column */

/** Returns the column with its categories in that order; those without a target are last, in their order.
 * @param {Column} column of texts @param {Column} target of numbers @returns {Column} */
export function orderedByTarget(column, target) {
  /** @type {Map<string, {sum: number, count: number}>} */
  const groups = new Map();
  column.values.forEach((value, row) => {
    const result = target.values[row];
    if (value === null || typeof result !== "number" || !Number.isFinite(result)) return;
    const { sum, count } = groups.get(String(value)) ?? { sum: 0, count: 0 };
    groups.set(String(value), { sum: sum + result, count: count + 1 });
  });
  const meanOf = (/** @type {string} */ category) => {
    const { sum, count } = groups.get(category) ?? { sum: -Infinity, count: 1 };
    return sum / count;
  };
  return { ...column, categories: column.categories.toSorted((a, b) => meanOf(b) - meanOf(a) || 0) };
}
