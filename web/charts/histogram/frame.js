// Shared by all histogram drawings: their input, the plot area, scales and axes.

import { shortNumber } from "../../i18n/numbers.js";
import { tokens } from "../theme.js";
import { axisTicks } from "../ticks.js";

/** @typedef {import("./buckets.js").Line} Line */
/** @typedef {import("../ticks.js").Axis} Axis */
/** @typedef {import("../ticks.js").Ticks} Ticks */

/** The input of one plot. The plots of a card share grid, axis and scale so that they can be compared.
 * @typedef {object} Plan
 * @property {string} tag
 * @property {Line[]} lines of this plot: one run, or several runs overlaid
 * @property {Line[]} all lines of the card, compared in the read-out
 * @property {Axis} axis
 * @property {readonly [number, number]} window visible range of the axis
 * @property {number} maxRows of any run of the card
 * @property {import("./rebin.js").Grid} grid
 * @property {readonly [number, number] | null} range that the axis of values is limited to; null = all values
 * @property {number} scaleTop count at the top of the scale; larger counts are clipped
 * @property {boolean} onOneBaseline draw all ridges on one baseline
 * @property {boolean} log logarithmic counts
 * @property {boolean} dark theme
 * @property {number | null} step to mark, or to draw alone; null = the last */

/** A position under the pointer. @typedef {{step: number, value: number, run: string}} Target */

/** The plot area of a canvas, in CSS pixels.
 * @typedef {{left: number, top: number, width: number, height: number}} Area */

/** A way of drawing histograms.
 * @typedef {object} Drawing
 * @property {readonly [top: number, right: number, bottom: number, left: number]} margins
 * @property {(context: CanvasRenderingContext2D, plan: Plan, area: Area) => void} paint
 * @property {(plan: Plan, area: Area, x: number, y: number) => Target | null} target returns what is at a pixel
 * @property {(context: CanvasRenderingContext2D, plan: Plan, area: Area, step: number | null, value: number |
 * null) => void} mark */

/** Fewer counts have ticks between them. */
const FEW = 3;
/** From one count to the next, in pixels. */
const COUNT_SPACE = 26;
const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** @param {number} width @param {number} height @param {Drawing["margins"]} margins @returns {Area} */
export const areaOf = (width, height, [top, right, bottom, left]) => ({
  left,
  top,
  width: Math.max(1, width - left - right),
  height: Math.max(1, height - top - bottom),
});

/** Resizes a canvas to a size in CSS pixels, clears it and sets defaults.
 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
export function clearedContext(canvas, width, height) {
  const pixelWidth = Math.round(width * devicePixelRatio);
  const pixelHeight = Math.round(height * devicePixelRatio);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth;
    canvas.height = pixelHeight;
  }
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  context.lineWidth = 1;
  context.lineJoin = "round";
  return context;
}

/** The height of a count, from 0 to 1.
 * @param {number} count @param {{log: boolean, scaleTop: number}} scale @param {number} [most] */
export const heightOf = (count, { log, scaleTop }, most = scaleTop) =>
  most > 0 ? Math.min(1, log ? Math.log1p(count) / Math.log1p(most) : count / most) : 0;

/** @param {readonly [number, number]} range @param {number} value @param {number} start
 * @param {number} length in pixels */
export const toPixel = ([lo, hi], value, start, length) => start + ((value / 2 - lo / 2) / (hi / 2 - lo / 2)) * length;

/** @param {readonly [number, number]} range @param {number} pixel @param {number} start @param {number} length */
export function fromPixel([lo, hi], pixel, start, length) {
  const share = Math.min(1, Math.max(0, (pixel - start) / length));
  return lo * (1 - share) + hi * share;
}

/** @param {readonly [number, number]} range @param {number} length in pixels @param {boolean} [isVertical] */
export const valueTicks = (range, length, isVertical = false) => axisTicks("value", range, { length, isVertical });

/** Of a vertical axis of counts. @param {number} scaleTop @param {boolean} log @param {number} length in pixels
 * @returns {Ticks} */
export function countTicks(scaleTop, log, length) {
  if (!log) return axisTicks("value", [0, scaleTop || 1], { length, isVertical: true, isWhole: scaleTop >= FEW });
  const decades = Array.from({ length: Math.floor(Math.log10(Math.max(1, scaleTop))) + 1 }, (_, power) => 10 ** power);
  const stride = Math.ceil((decades.length + 1) / Math.max(1, length / COUNT_SPACE));
  const ticks = [0, ...decades].filter((_, index) => index % stride === 0);
  return { ticks, labels: ticks.map((count) => shortNumber(count)), offset: "" };
}

/** Draws the axis below the area, with grid lines on request.
 * @param {CanvasRenderingContext2D} context @param {Area} area @param {readonly [number, number]} range
 * @param {Ticks} axis @param {boolean} [lines] */
export function bottomAxis(context, area, range, { ticks, labels, offset }, lines = false) {
  const { grid, label } = tokens();
  const baseline = area.top + area.height;
  context.textBaseline = "top";
  context.fillStyle = label;
  context.strokeStyle = grid;
  stroke(context, [[area.left, baseline, area.left + area.width, baseline]]);
  const places = ticks.map((tick) => toPixel(range, tick, area.left, area.width));
  stroke(
    context,
    places.map((x) => [x, lines ? area.top : baseline, x, baseline + 4]),
  );
  labels.forEach((text, index) => {
    const half = context.measureText(text).width / 2;
    context.textAlign = "center";
    context.fillText(
      text,
      Math.max(half + 2, Math.min(places[index], area.left + area.width + Math.max(4, half))),
      baseline + 7,
    );
  });
  context.textAlign = "right";
  context.textBaseline = "bottom";
  if (offset) context.fillText(offset, area.left + area.width, baseline - 3);
}

/** Draws an axis at a side of the area.
 * @param {CanvasRenderingContext2D} context @param {Area} area @param {Ticks} axis
 * @param {(tick: number) => number} topOf
 * @param {"left" | "right"} side @param {boolean} lines draw grid lines */
export function sideAxis(context, area, { ticks, labels, offset }, topOf, side, lines) {
  const { grid, label } = tokens();
  const right = area.left + area.width;
  context.textBaseline = "middle";
  context.textAlign = side === "left" ? "right" : "left";
  context.fillStyle = label;
  context.strokeStyle = grid;
  stroke(
    context,
    ticks.map((tick) => [lines ? area.left : right, topOf(tick), lines ? right : right + 4, topOf(tick)]),
  );
  const at = side === "left" ? area.left - 6 : right + 7;
  for (const [index, text] of labels.entries()) context.fillText(text, at, topOf(ticks[index]));
  context.textAlign = side;
  context.textBaseline = "top";
  if (offset) context.fillText(offset, side === "left" ? area.left + 4 : right - 4, area.top);
}

/** Draws straight lines, aligned to pixels.
 * @param {CanvasRenderingContext2D} context @param {number[][]} lines */
export function stroke(context, lines) {
  const aligned = (/** @type {number} */ pixel) => Math.round(pixel - 0.5) + 0.5;
  context.beginPath();
  for (const [x0, y0, x1, y1] of lines) {
    context.moveTo(aligned(x0), aligned(y0));
    context.lineTo(aligned(x1), aligned(y1));
  }
  context.stroke();
}

/** Draws small open triangles, which mark NaN and infinite values.
 * @param {CanvasRenderingContext2D} context @param {Array<number[] | null>} places x and y; null = no triangle
 * @param {"right" | "down"} towards */
export function triangles(context, places, towards) {
  context.strokeStyle = tokens().damage;
  context.lineWidth = 1.25;
  context.beginPath();
  for (const place of places) {
    if (!place) continue;
    const [x, y] = place;
    const corners =
      towards === "right"
        ? [
            [0, -3.5],
            [6, 0],
            [0, 3.5],
          ]
        : [
            [-3.5, 0],
            [0, 6],
            [3.5, 0],
          ];
    const [[startX, startY], ...rest] = corners;
    context.moveTo(x + startX, y + startY);
    for (const [dx, dy] of rest) context.lineTo(x + dx, y + dy);
    context.closePath();
  }
  context.stroke();
  context.lineWidth = 1;
}
