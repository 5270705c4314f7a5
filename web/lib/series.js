// One run's part of a chart: columns as they are drawn, made from the server's reply.

/** @typedef {import("./ticks.js").Axis} Axis */

/** Columns of one (run, tag); `smoothed` is empty unless it was asked for.
 * @typedef {object} Series
 * @property {string} run
 * @property {Float64Array} step
 * @property {Float64Array} wall_time
 * @property {Float64Array} value
 * @property {Float64Array} smoothed
 * @property {number} total points in the window before downsampling
 * @property {number} duplicates points not sent because a later one has their step
 */

/** "NaN", "Infinity" and "-Infinity" are what Number makes of them.
 * @param {Array<number | string>} column */
const numbers = (column) => Float64Array.from(column, Number);

/** @param {{run: string, step: number[], wall_time: number[], value: Array<number | string>, smoothed?: Array<number | string>, total: number, duplicates: number}} reply
 * @returns {Series} */
export const seriesOf = (reply) => ({
  run: reply.run,
  step: numbers(reply.step),
  wall_time: numbers(reply.wall_time),
  value: numbers(reply.value),
  smoothed: numbers(reply.smoothed ?? []),
  total: reply.total,
  duplicates: reply.duplicates,
});

/** The x of every point.
 * @param {Series} series @param {Axis} axis @param {number} started the run's first wall time */
export function xsOf(series, axis, started) {
  if (axis === "step") return series.step;
  return axis === "wall_time" ? series.wall_time : series.wall_time.map((time) => time - started);
}

/** Does a series have points, but only at one step?
 * @param {Series} series */
export function staysAtOneStep({ step, duplicates }) {
  return step.length + duplicates > 1 && step[0] === step[step.length - 1];
}

/** How many points are drawn, and of how many that could be.
 * @param {Iterable<Series>} several */
export function countPoints(several) {
  let drawn = 0;
  let total = 0;
  let duplicates = 0;
  for (const series of several) {
    drawn += series.step.length;
    total += Math.max(series.step.length, series.total - series.duplicates);
    duplicates += series.duplicates;
  }
  return { drawn, total, duplicates };
}
