// The mean and the spread of the values of rows.

/** @typedef {import("../data/text/value_filter.js").Value} Value */

/** Returns the mean of the finite numbers among the values, and their number; null without any.
 * @param {Iterable<Value>} values */
export function meanOf(values) {
  let sum = 0;
  let count = 0;
  for (const value of values) {
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    sum += value;
    count++;
  }
  return count ? { mean: sum / count, count } : null;
}

/** The same with the standard deviation of the sample; NaN of a single number. @param {readonly Value[]} values */
export function spreadOf(values) {
  const found = meanOf(values);
  if (!found) return null;
  const squares = meanOf(values.map((value) => (typeof value === "number" ? (value - found.mean) ** 2 : null)));
  return { ...found, deviation: Math.sqrt(((squares?.mean ?? NaN) * found.count) / (found.count - 1)) };
}
