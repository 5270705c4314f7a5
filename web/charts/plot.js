// What a chart is asked to draw: lines with their own x each, axes, window.

/** One run's line. `ys` is what stands in front: the smoothed values when there are any.
 * @typedef {object} Line
 * @property {string} run
 * @property {import("../lib/colours.js").LineStyle} style
 * @property {Float64Array} xs ascending
 * @property {Float64Array} ys
 * @property {Float64Array | null} raw the values behind smoothed ones
 * @property {import("../lib/series.js").Series} series
 */

/** @typedef {object} Plot
 * @property {Line[]} lines
 * @property {import("../lib/ticks.js").Axis} axis
 * @property {boolean} log
 * @property {import("../lib/view.js").Window} x
 */

/** How values become canvas pixels.
 * @typedef {object} Projection
 * @property {(x: number) => number} left
 * @property {(y: number) => number} top
 * @property {number} width
 * @property {number} height
 * @property {number} pixelRatio
 */

/** @param {import("../lib/view.js").Window} x @param {import("../lib/view.js").Window} y @param {boolean} log
 * @param {number} width @param {number} height @param {number} pixelRatio @returns {Projection} */
export function projection([x0, x1], [y0, y1], log, width, height, pixelRatio) {
  const perX = width / (x1 - x0);
  const bottom = log ? Math.log10(y0) : y0;
  const perY = height / ((log ? Math.log10(y1) : y1) - bottom);
  return {
    left: (x) => (x - x0) * perX,
    // A logarithm has no place for what is not above zero: NaN, which no line goes through.
    top: log ? (y) => (y > 0 ? height - (Math.log10(y) - bottom) * perY : NaN) : (y) => height - (y - bottom) * perY,
    width,
    height,
    pixelRatio,
  };
}
