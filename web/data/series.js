// One line's columns as they are drawn, made from the server's reply: of a run, a rank, an attempt, or of a group of runs.

/** @typedef {import("./address.js").Axis} Axis */

/** A value and the step of its point. @typedef {{value: number, step: number}} Extreme */

/** What a group of runs has instead of values of its own. Points that are not finite are in no statistic.
 * @typedef {object} Band
 * @property {Float64Array} x
 * @property {Float64Array} low
 * @property {Float64Array} high
 * @property {Int32Array} count series that have a value at each place
 * @property {number} most series it can be made of
 * @property {boolean} hasNonFinite
 * @property {number} aligned places at which it was computed
 */

/** Columns of one line; `smoothed` is empty unless it was asked for.
 * @typedef {object} Series
 * @property {string} run the group's name in a band
 * @property {number} [rank]
 * @property {number | null} [attempt] null = stitched
 * @property {Float64Array} step
 * @property {Float64Array} wall_time
 * @property {Float64Array} value the centre of a band
 * @property {Float64Array} smoothed
 * @property {number} total points in the window before downsampling
 * @property {number} duplicates points not sent because a later one has their step
 * @property {Extreme | null} [min] of all points in the window, also those not drawn; null = none is finite
 * @property {Extreme | null} [max]
 * @property {Band | null} [band]
 */

/** "NaN", "Infinity" and "-Infinity" are what Number makes of them.
 * @param {Array<number | string>} column */
const numbers = (column) => Float64Array.from(column, Number);

/** @param {number | null | undefined} value @param {number | null | undefined} step @returns {Extreme | null} */
const extreme = (value, step) => (value == null || step == null ? null : { value, step });

/** @param {import("./replies.js").SeriesReply} reply @returns {Series} */
export const seriesOf = (reply) => ({
  run: reply.run,
  rank: reply.rank,
  attempt: reply.attempt,
  step: numbers(reply.step),
  wall_time: numbers(reply.wall_time),
  value: numbers(reply.value),
  smoothed: numbers(reply.smoothed),
  total: reply.total,
  duplicates: reply.duplicates,
  min: extreme(reply.min, reply.min_step),
  max: extreme(reply.max, reply.max_step),
  band: null,
});

/** @param {import("./replies.js").GroupReply} reply @returns {Series} */
export function bandOf(reply) {
  const x = numbers(reply.x);
  const value = numbers(reply.centre);
  const count = Int32Array.from(reply.count);
  return {
    run: reply.group,
    rank: 0,
    attempt: null,
    step: x,
    wall_time: x,
    value,
    smoothed: new Float64Array(),
    total: reply.total,
    duplicates: 0,
    ...extremesOf(x, value),
    band: {
      x,
      low: numbers(reply.low),
      high: numbers(reply.high),
      count,
      most: count.reduce((most, n) => Math.max(most, n), reply.runs.length), // With every rank there are more than runs.
      hasNonFinite: reply.non_finite.some((n) => n > 0),
      aligned: reply.aligned,
    },
  };
}

/** @param {Float64Array} x @param {Float64Array} value */
function extremesOf(x, value) {
  /** @type {Extreme | null} */
  let min = null;
  /** @type {Extreme | null} */
  let max = null;
  for (let index = 0; index < value.length; index++) {
    const here = value[index];
    if (!Number.isFinite(here)) continue;
    if (min === null || here < min.value) min = { value: here, step: x[index] };
    if (max === null || here > max.value) max = { value: here, step: x[index] };
  }
  return { min, max };
}

/** The x of every point.
 * @param {Series} series @param {Axis} axis @param {number} started the run's first wall time */
export function xsOf(series, axis, started) {
  if (series.band) return series.band.x;
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
