// The columns of one line, from the server's reply: of a run, rank and attempt, or of a group of runs.

/** @typedef {import("../view/address.js").Axis} Axis */

/** A value and the step of its point. @typedef {{value: number, step: number}} Extreme */

/** The band of a group of runs. Non-finite points are excluded.
 * @typedef {object} Band
 * @property {Float64Array} x
 * @property {Float64Array} low
 * @property {Float64Array} high
 * @property {Int32Array} count series that have a value at each x
 * @property {number} most series in the group
 * @property {string[]} runs of the group
 * @property {import("../client/api_types.js").Grouping["centre"]} centre
 * @property {import("../client/api_types.js").Grouping["band"]} edges what low and high are
 * @property {boolean} hasNonFinite
 * @property {number} aligned number of x at which it was computed
 */

/** Columns of one line; `smoothed` is empty unless it was requested.
 * @typedef {object} Series
 * @property {string} run the group's name in a band
 * @property {number} [rank]
 * @property {number | null} [attempt] null = stitched
 * @property {Float64Array} step
 * @property {Float64Array} wall_time
 * @property {Float64Array} value the centre of a band
 * @property {Float64Array} [x] values of the requested x
 * @property {Float64Array} smoothed
 * @property {string | null} [smooth] how it was smoothed; null = it was not
 * @property {number} total points in the window before downsampling
 * @property {number} duplicates points not sent because a later one has their step
 * @property {number} [set_back] points that stand before those of earlier steps, as a clock was set back
 * @property {number} [unplaced] points that are not sent because their wall time is impossible
 * @property {number} [hidden] points of earlier attempts that the stitched view hides
 * @property {Extreme | null} [min] of all points in the window, drawn or not; null = none is finite
 * @property {Extreme | null} [max]
 * @property {string} [cursor] refers to the points that the server need not send again
 * @property {Band | null} [band]
 */

/** @param {import("../client/api_types.js").Column} column */
export function numbersOf(column) {
  if (column instanceof BigInt64Array) return Float64Array.from(column, Number);
  if (!("start" in column)) return new Float64Array(column);
  const { start, stride, count } = column;
  const numbers = new Float64Array(count);
  for (let place = 0; place < count; place++) numbers[place] = start + stride * place;
  return numbers;
}

/** @param {number | null | undefined} value @param {number | null | undefined} step @returns {Extreme | null} */
const extreme = (value, step) => (value == null || step == null ? null : { value, step });

/** @param {import("../client/api_types.js").SeriesReply} reply
 * @param {Series} [held] whose cursor was sent: the reply contains only what follows some of its points
 * @returns {Series} */
export function seriesOf(reply, held) {
  const joined = (/** @type {"step" | "wall_time" | "value" | "smoothed" | "x"} */ name) =>
    appended(held?.[name]?.subarray(0, reply.kept), numbersOf(reply[name] ?? []));
  const x = joined("x");
  return {
    ...(x.length && { x }),
    run: reply.run,
    rank: reply.rank,
    attempt: reply.attempt,
    step: joined("step"),
    wall_time: joined("wall_time"),
    value: joined("value"),
    smoothed: joined("smoothed"),
    smooth: reply.smooth ?? null,
    total: reply.total,
    duplicates: reply.duplicates,
    unplaced: reply.unplaced,
    set_back: reply.set_back,
    hidden: reply.hidden,
    min: extreme(reply.min, reply.min_step),
    max: extreme(reply.max, reply.max_step),
    cursor: reply.cursor,
    band: null,
  };
}

/** @param {Float64Array | undefined} first @param {Float64Array} rest */
function appended(first, rest) {
  if (!first?.length) return rest;
  const all = new Float64Array(first.length + rest.length);
  all.set(first);
  all.set(rest, first.length);
  return all;
}

/** @param {import("../client/api_types.js").GroupReply} reply @param {import("../client/api_types.js").Grouping} how it was requested
 * @returns {Series} */
export function bandOf(reply, { centre, band: edges }) {
  const x = numbersOf(reply.x);
  const value = numbersOf(reply.centre);
  const count = Int32Array.from(numbersOf(reply.count));
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
      low: numbersOf(reply.low),
      high: numbersOf(reply.high),
      count,
      // With all ranks there are more series than runs.
      most: count.reduce((most, n) => Math.max(most, n), reply.runs.length),
      runs: reply.runs,
      centre,
      edges,
      hasNonFinite: numbersOf(reply.non_finite).some((n) => n > 0),
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
    const y = value[index];
    if (!Number.isFinite(y)) continue;
    if (min === null || y < min.value) min = { value: y, step: x[index] };
    if (max === null || y > max.value) max = { value: y, step: x[index] };
  }
  return { min, max };
}

/** Returns the x of every point.
 * @param {Series} series @param {Axis | "value"} axis "value" = the values of another tag; those of time
 * without pauses are the server's
 * @param {number} start the wall time or step at which the axis begins for the run */
export function xsOf(series, axis, start) {
  if (series.band) return series.band.x;
  if (axis === "value") return series.x ?? series.step;
  if (axis === "active" && series.x) return series.x;
  const places = axis === "step" || axis === "relative_step" ? series.step : series.wall_time;
  return start ? places.map((place) => place - start) : places;
}

/** Does a series have several points, all at one step?
 * @param {Series} series */
export function staysAtOneStep({ step, duplicates }) {
  return step.length + duplicates > 1 && step[0] === step[step.length - 1];
}

/** Is a series drawn over wall time where steps are chosen? Metrics of the machine are measured at intervals of time,
 * several during a long step; and a series that stays at one step would be a single point.
 * @param {string} tag @param {Series[]} series of the tag */
export const opensOnWallTime = (tag, series) =>
  tag.startsWith("machine/") || (series.length > 0 && series.every(staysAtOneStep));

/** Counts the drawn points and those they were selected from.
 * @param {Iterable<Series>} lines */
export function countPoints(lines) {
  let drawn = 0;
  let total = 0;
  let duplicates = 0;
  let unplaced = 0;
  let setBack = 0;
  for (const series of lines) {
    drawn += series.step.length;
    total += Math.max(series.step.length, series.total - series.duplicates);
    duplicates += series.duplicates;
    unplaced += series.unplaced ?? 0;
    setBack += series.set_back ?? 0;
  }
  return { drawn, total, duplicates, unplaced, setBack };
}
