// What a chart draws: lines with their own x each, axes, window.

import { logDistance } from "./log_distance.js";

/** One line. `ys` are the values drawn in front: the smoothed ones, if any.
 * @typedef {object} Line
 * @property {string} run or group
 * @property {string} [key] unique in the chart; absent = its run
 * @property {string} [tag]
 * @property {boolean} [isExpression] is `tag` an expression of tags?
 * @property {boolean} [isBaseline] a run that others are compared to, and that is not shown itself
 * @property {boolean} [isContext] one of many lines, drawn in grey under the others
 * @property {string[]} [kin] what distinguishes it from other lines of its run: tag, rank, attempt
 * @property {import("../data/colours/run_styles.js").LineStyle} style
 * @property {Side} [side] absent = left
 * @property {Float64Array} xs ascending
 * @property {Float64Array} ys
 * @property {Float64Array | null} raw the values behind smoothed ones
 * @property {import("../data/series/series.js").Series} series
 * @property {{low: Float64Array, high: Float64Array}} [margin] the edges of the area around it, in place of a band's
 * @property {{x: number, y: number, step: number} | null} [flag] on its best value
 */

/** How raw values are drawn behind smoothed ones: as the band between their extremes in each pixel column, where they
 * are dense, as a faint line, or not at all. @typedef {"band" | "line" | "off"} RawStyle */

/** The y axis of a line. @typedef {"left" | "right"} Side */

/** @typedef {object} Plot
 * @property {Line[]} lines
 * @property {import("./ticks.js").Axis} axis
 * @property {boolean} log
 * @property {boolean} [logX]
 * @property {RawStyle} [raw] absent = "band"
 * @property {Window} x
 * @property {boolean} [isWhole] is x the window of all points?
 * @property {Heights} [y] absent = over all lines
 * @property {import("../data/series/scalar_view.js").Limit[]} [limits] on the left axis
 * @property {import("./clipped.js").Clipped[]} [clipped] what the y ranges leave out
 */

/** The ranges of the y axes; null = no line uses the axis. @typedef {Record<Side, Window | null>} Heights */
/** @typedef {import("../data/view/address.js").Window} Window */

/** Maps values to canvas pixels.
 * @typedef {object} Projection
 * @property {(x: number) => number} left
 * @property {(y: number) => number} top
 * @property {number} width
 * @property {number} height
 * @property {number} pixelRatio
 */

/** @typedef {Record<Side, Projection>} Projections */

/** @param {Line} line */
export const keyOf = ({ key, run }) => key ?? run;
/** @param {Line} line @returns {Side} */
export const sideOf = ({ side }) => side ?? "left";

/** What the y range of a line follows, and what is behind it. @param {Line} line @returns {import("./extent.js").Drawn} */
export function drawnOf(line) {
  const edges = edgesOf(line);
  return { xs: line.xs, columns: [line.ys, ...(edges ? [edges.low, edges.high] : [])], behind: line.raw };
}

/** @param {Line} line @returns {Float64Array[]} all y values that are drawn of it */
export function columnsOf(line) {
  const edges = edgesOf(line);
  return [line.ys, ...(line.raw ? [line.raw] : []), ...(edges ? [edges.low, edges.high] : [])];
}

/** The edges of the area around a line; null = it has none.
 * @param {Line} line @returns {{low: Float64Array, high: Float64Array} | null} */
export const edgesOf = ({ margin, series: { band } }) => margin ?? (band?.low.length ? band : null);

/** @param {Plot} plot @param {Heights} heights @param {number} width @param {number} height @param {number} pixelRatio
 * @returns {Projections} */
export function projections({ x, log, logX = false }, heights, width, height, pixelRatio) {
  const on = (/** @type {Window} */ y) => projection(x, y, log, width, height, pixelRatio, logX);
  const left = on(heights.left ?? heights.right ?? [0, 1]);
  return { left, right: heights.right ? on(heights.right) : left };
}

/** @param {Window} x @param {Window} y @param {boolean} log @param {number} width @param {number} height
 * @param {number} pixelRatio @param {boolean} [logX] @returns {Projection} */
export function projection(x, y, log, width, height, pixelRatio, logX = false) {
  const up = scale(y, height, log);
  return { left: scale(x, width, logX), top: (value) => height - up(value), width, height, pixelRatio };
}

/** Maps a window to a length. On a logarithmic axis, values that are not positive map to NaN, where lines have gaps.
 * @param {Window} window @param {number} length @param {boolean} log @returns {(value: number) => number} */
function scale([lo, hi], length, log) {
  if (!log) {
    const per = length / (hi - lo);
    return (value) => (value - lo) * per;
  }
  const distance = logDistance(lo, hi);
  const per = length / distance(hi);
  return (value) => (value > 0 ? distance(value) * per : NaN);
}
