// Statistics of tensors over the steps as series of a line chart.

/**
 * @typedef {{run: string, step: Float64Array, wall_time: Float64Array, value: Float64Array, smoothed: Float64Array,
 *   total: number, duplicates: number}} Series
 */

export const STATISTICS = /** @type {const} */ (["mean", "min", "max", "not_finite"]);
/** @typedef {(typeof STATISTICS)[number]} Statistic */

/**
 * The statistics of a tensor.
 * @typedef {{step: number, wall_time: number | string, min: number | string | null, max: number | string | null, mean:
 *   number | string | null, nan_count: number, pos_inf_count: number, neg_inf_count: number}} Entry
 */

/** NaN if there is no such number: a tensor without finite elements has no mean.
 * @param {Entry} entry @param {Statistic} name */
export function statisticOf(entry, name) {
  if (name === "not_finite") return entry.nan_count + entry.pos_inf_count + entry.neg_inf_count;
  const value = entry[name];
  return value === null ? NaN : Number(value);
}

/**
 * @param {string} run @param {Entry[]} entries by step @param {Statistic} name @param {number} total @returns {Series}
 */
export const statisticSeries = (run, entries, name, total) => ({
  run,
  step: Float64Array.from(entries, ({ step }) => step),
  wall_time: Float64Array.from(entries, ({ wall_time: time }) => Number(time)),
  value: Float64Array.from(entries, (entry) => statisticOf(entry, name)),
  smoothed: new Float64Array(0),
  total,
  duplicates: 0,
});

/** SVG paths of a band from min to max, of the mean, and of steps with non-finite elements; null if no value is finite.
 * @param {Entry[]} entries @param {number} width @param {number} height */
export function sparklinePaths(entries, width, height) {
  const finite = entries.filter((entry) => entry.min !== null);
  if (!finite.length) return null;
  const steps = entries.map(({ step }) => step);
  const [first, last] = [steps[0], steps[steps.length - 1]];
  const low = Math.min(...finite.map((entry) => statisticOf(entry, "min")));
  const high = Math.max(...finite.map((entry) => statisticOf(entry, "max")));
  const x = (/** @type {Entry} */ { step }) =>
    (last > first ? ((step - first) / (last - first)) * width : width / 2).toFixed(1);
  const y = (/** @type {number} */ value) =>
    (high > low ? height - 1 - ((value - low) / (high - low)) * (height - 2) : height / 2).toFixed(1);
  const line = (/** @type {Entry[]} */ selected, /** @type {Statistic} */ name) =>
    selected.map((entry) => `${x(entry)},${y(statisticOf(entry, name))}`).join("L");
  return {
    mean: `M${line(finite, "mean")}`,
    band: `M${line(finite, "max")}L${line(finite.toReversed(), "min")}Z`,
    bad: entries.filter((entry) => statisticOf(entry, "not_finite") > 0).map((entry) => Number(x(entry))),
  };
}
