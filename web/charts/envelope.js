// The envelope of a dense series: by pixel column, the least and the largest of all its points, drawn or not.

import { sideOf } from "./plot.js";

/** @typedef {import("./plot.js").Line} Line */
/** @typedef {import("./plot.js").Projection} Projection */

/** Columns of one CSS pixel: the place of the first, and the extremes in each; NaN = a column without points.
 * @typedef {{first: number, low: Float64Array, high: Float64Array}} Envelope */

/** Points of a column from which the envelope of a series is drawn instead of its line. */
const DENSE = 2;

/** How opaque each envelope of a chart is: where all overlap, the lines stay readable.
 * @param {number} lines */
export const envelopeAlpha = (lines) => Math.min(0.18, 0.28 / lines);

/** Returns the envelope of the raw values of a line; null if it is not smoothed, or too sparse for one.
 * @param {Line} line @param {Record<import("./plot.js").Side, Projection>} on @returns {Envelope | null} */
export function envelopeOf(line, on) {
  const { raw, xs, series } = line;
  if (!raw || !xs.length) return null;
  const total = Math.max(raw.length, series.total - series.duplicates);
  const columnOf = columnsOn(on[sideOf(line)]);
  const hasPlace = (/** @type {number} */ x) => Number.isFinite(columnOf(x));
  const [first, last] = [xs.find(hasPlace) ?? NaN, xs.findLast(hasPlace) ?? NaN].map(columnOf);
  if (!(total >= DENSE * (last - first + 1))) return null;
  return envelope(xs, raw, columnOf, total > raw.length);
}

/** @param {Projection} to @returns {(x: number) => number} */
function columnsOn({ left, width, pixelRatio }) {
  const last = Math.ceil(width / pixelRatio) - 1;
  return (x) => Math.min(Math.max(Math.floor(left(x) / pixelRatio), 0), last);
}

/** The server keeps the extremes of each bucket of points: a point that it left out is within those of its bucket, which
 * are among the two kept points before it and the two after it. Points that are not finite, or have no place on a
 * logarithmic axis, are in none.
 * @param {Float64Array} xs ascending @param {Float64Array} values @param {(x: number) => number} columnOf
 * @param {boolean} isDownsampled are points left out? @returns {Envelope} */
export function envelope(xs, values, columnOf, isDownsampled) {
  const kept = [...values.keys()].filter((at) => Number.isFinite(values[at]) && Number.isFinite(columnOf(xs[at])));
  if (!kept.length) return { first: 0, low: new Float64Array(), high: new Float64Array() };
  const columns = kept.map((at) => columnOf(xs[at]));
  const first = columns[0];
  const length = columns[columns.length - 1] - first + 1;
  const low = new Float64Array(length).fill(NaN);
  const high = new Float64Array(length).fill(NaN);
  const cover = (/** @type {number} */ column, /** @type {number} */ value) => {
    const at = column - first;
    if (!(value >= low[at])) low[at] = value;
    if (!(value <= high[at])) high[at] = value;
  };
  for (let place = 0; place < kept.length; place++) {
    cover(columns[place], values[kept[place]]);
    if (!isDownsampled || place + 1 === kept.length) continue;
    const near = kept.slice(Math.max(0, place - 1), place + 3).map((at) => values[at]);
    for (let column = columns[place]; column <= columns[place + 1]; column++)
      for (const value of near) cover(column, value);
  }
  if (!isDownsampled) for (const edge of [low, high]) bridge(edge);
  return { first, low, high };
}

/** Interpolates over columns without points. @param {Float64Array} edge whose ends have values */
function bridge(edge) {
  let known = 0;
  for (let at = 1; at < edge.length; at++) {
    if (Number.isNaN(edge[at])) continue;
    for (let between = known + 1; between < at; between++)
      edge[between] = edge[known] + ((edge[at] - edge[known]) * (between - known)) / (at - known);
    known = at;
  }
}
