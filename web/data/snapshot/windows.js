// Windows of recorded series: which recorded points answer a request, and those of its window.

import { numbersOf } from "../series/series.js";

/** @typedef {import("../client/api_types.js").SeriesReply} SeriesReply */
/** @typedef {import("../client/api_types.js").Column} Column */

/** @typedef {{axis: string, lo: number, hi: number}} AxisWindow */
/** The series of a tag and run, one a rank, as sent for a window; null = all of it.
 * @typedef {{window: AxisWindow | null, series: SeriesReply[]}} Part */

/** @param {Column} column */
const countOf = (column) => ("count" in column ? column.count : column.length);

/** Complete columns first, then more points. @param {Part} part */
const richness = ({ series }) =>
  series.reduce((sum, { step, value }) => sum + countOf(value) + (countOf(step) ? 1e12 : 0), 0);

/** @param {AxisWindow | null} window */
const nameOf = (window) => JSON.stringify(window && [window.axis, String(window.lo), String(window.hi)]);

/** Adds a part, or keeps the richer one of two of the same window.
 * @param {readonly Part[]} parts @param {Part} added @returns {Part[]} */
export function withPart(parts, added) {
  const before = parts.find(({ window }) => nameOf(window) === nameOf(added.window));
  if (before && richness(before) >= richness(added)) return [...parts];
  return [...parts.filter((part) => part !== before), added];
}

/** Returns the narrowest part that contains a window.
 * @param {readonly Part[]} parts @param {AxisWindow | null} asked */
export function partFor(parts, asked) {
  const span = (/** @type {Part} */ { window }) => (window ? window.hi - window.lo : Infinity);
  return parts
    .filter(
      ({ window }) =>
        !window || (asked && window.axis === asked.axis && window.lo <= asked.lo && window.hi >= asked.hi),
    )
    .toSorted((a, b) => span(a) - span(b))
    .at(0);
}

/** Returns the points of a series in a window.
 * @param {SeriesReply} series @param {AxisWindow | null} window @param {number} start where the axis begins for the run
 * @returns {SeriesReply} */
export function cut(series, window, start) {
  if (!window || !countOf(series.step)) return series;
  const isActive = window.axis === "active" && series.x;
  const xs = numbersOf(isActive || (window.axis.endsWith("step") ? series.step : series.wall_time));
  const places = Array.from(xs.keys()).filter((at) => xs[at] - start >= window.lo && xs[at] - start <= window.hi);
  const taken = (/** @type {Column} */ column) => {
    const numbers = numbersOf(column);
    return numbers.length ? Float64Array.from(places, (at) => numbers[at]) : [];
  };
  const [step, value] = [taken(series.step), taken(series.value)];
  const finite = Array.from(value.keys()).filter((at) => Number.isFinite(value[at]));
  const least = finite.reduce((best, at) => (best < 0 || value[at] < value[best] ? at : best), -1);
  const most = finite.reduce((best, at) => (best < 0 || value[at] > value[best] ? at : best), -1);
  return {
    ...series,
    step,
    value,
    wall_time: taken(series.wall_time),
    ...(series.x && { x: taken(series.x) }),
    smoothed: taken(series.smoothed),
    min: value[least] ?? null,
    min_step: step[least] ?? null,
    max: value[most] ?? null,
    max_step: step[most] ?? null,
  };
}
