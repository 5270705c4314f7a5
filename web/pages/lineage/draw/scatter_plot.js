// A point for each run by two of its values, with the distribution of each beside it.

import { clearedContext } from "../../../charts/histogram/frame.js";
import { tokens } from "../../../charts/theme.js";
import { binCount, countsOf } from "../model/bins.js";
import { ticksOf } from "../model/scale.js";

/** @typedef {import("../model/scale.js").Scale} Scale */

/** @typedef {object} Scatter
 * @property {Scale} x @property {Scale} y
 * @property {readonly number[]} rows all that are shown
 * @property {readonly number[]} kept those of them that stand out
 * @property {{css: string[], of: Uint8Array}} inks
 * @property {Float32Array | null} sizes 0 to 1 by row; null: all alike
 * @property {string} accent
 */

const LEFT = 52;
const BOTTOM = 26;
const MARGINAL = 40;
const AIR = 8;
const MOST_BINS = 24;
const RADIUS = 3.5;
/** Radii of the smallest and the largest value. */
const SIZES = [2, 9];
const TWO_PI = 2 * Math.PI;

/** The area of the points, in CSS pixels. @param {number} width @param {number} height */
const areaOf = (width, height) => ({
  left: LEFT,
  top: MARGINAL + AIR,
  width: Math.max(1, width - LEFT - MARGINAL - AIR),
  height: Math.max(1, height - MARGINAL - AIR - BOTTOM),
});

/** Points of one category stand side by side, always in the same way. @param {Scale} scale @param {number} row @param {number} salt */
function placeOf({ kind, places, column }, row, salt) {
  const place = places[row];
  if (kind !== "category" || place < 0) return place;
  const spread = (((row + 1) * salt) % 1) - 0.5;
  return place + (spread * 0.6) / column.categories.length;
}

/** Where each row's point is: x and y in turn, NaN where it has none.
 * @param {Scatter} scatter @param {number} width @param {number} height */
export function pointsOf({ x, y }, width, height) {
  const { left, top, width: wide, height: high } = areaOf(width, height);
  const points = new Float32Array(2 * x.places.length).fill(NaN);
  for (let row = 0; row < x.places.length; row++) {
    const [across, up] = [placeOf(x, row, 0.6180339887), placeOf(y, row, 0.7548776662)];
    if (across < 0 || up < 0) continue;
    points[2 * row] = left + AIR + across * (wide - 2 * AIR);
    points[2 * row + 1] = top + AIR + (1 - up) * (high - 2 * AIR);
  }
  return points;
}

/** The row whose point is nearest; null when none is within `reach`. @param {Float32Array} points @param {readonly number[]} rows @param {number} x @param {number} y @param {number} reach */
export function pointUnder(points, rows, x, y, reach) {
  let found = null;
  let nearest = reach;
  for (const row of rows) {
    const distance = Math.hypot(points[2 * row] - x, points[2 * row + 1] - y);
    if (distance < nearest) [found, nearest] = [row, distance];
  }
  return found;
}

/** @param {HTMLCanvasElement} canvas @param {Scatter} scatter @param {Float32Array} points @param {number} width @param {number} height
 * @returns {number} points drawn of kept rows */
export function drawScatter(canvas, scatter, points, width, height) {
  const context = clearedContext(canvas, width, height);
  const area = areaOf(width, height);
  drawFrame(context, scatter, area);
  drawMarginals(context, scatter, area);
  const { rows, kept, inks, sizes } = scatter;
  if (kept.length < rows.length) {
    context.fillStyle = tokens().label;
    context.globalAlpha = 0.16;
    fillPoints(context, points, rows, () => 2);
  }
  context.globalAlpha = kept.length > 500 ? 0.6 : 0.85;
  /** @type {number[][]} */
  const byInk = inks.css.map(() => []);
  let drawn = 0;
  for (const row of kept) {
    if (Number.isNaN(points[2 * row])) continue;
    drawn++;
    byInk[inks.of[row]]?.push(row);
  }
  const radius = kept.length > 500 ? 2.5 : RADIUS;
  const radiusOf = sizes
    ? (/** @type {number} */ row) =>
        sizes[row] >= 0 ? SIZES[0] + (SIZES[1] - SIZES[0]) * Math.sqrt(sizes[row]) : SIZES[0]
    : () => radius;
  byInk.forEach((some, ink) => {
    context.fillStyle = inks.css[ink];
    fillPoints(context, points, some, radiusOf);
  });
  context.globalAlpha = 1;
  return drawn;
}

/** @param {CanvasRenderingContext2D} context @param {Float32Array} points @param {readonly number[]} rows @param {(row: number) => number} radiusOf */
function fillPoints(context, points, rows, radiusOf) {
  if (!rows.length) return;
  context.beginPath();
  for (const row of rows) {
    const [x, y] = [points[2 * row], points[2 * row + 1]];
    if (Number.isNaN(x)) continue;
    const radius = radiusOf(row);
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, TWO_PI);
  }
  context.fill();
}

/** @typedef {ReturnType<typeof areaOf>} Area */

/** @param {CanvasRenderingContext2D} context @param {Scatter} scatter @param {Area} area */
function drawFrame(context, { x, y }, { left, top, width, height }) {
  const { grid, label } = tokens();
  context.strokeStyle = grid;
  context.fillStyle = label;
  context.beginPath();
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const { place, text } of ticksOf(x, width / 72)) {
    const at = crisp(left + AIR + place * (width - 2 * AIR));
    if (x.kind !== "category") [context.moveTo(at, top), context.lineTo(at, top + height)];
    context.fillText(shortened(context, text, 84), at, top + height + 7);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const { place, text } of ticksOf(y, height / 36)) {
    const at = crisp(top + AIR + (1 - place) * (height - 2 * AIR));
    if (y.kind !== "category") [context.moveTo(left, at), context.lineTo(left + width, at)];
    context.fillText(shortened(context, text, LEFT - 8), left - 5, at);
  }
  context.rect(crisp(left), crisp(top), Math.round(width), Math.round(height));
  context.stroke();
}

/** @param {number} pixel */
const crisp = (pixel) => Math.round(pixel - 0.5) + 0.5;

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} room */
function shortened(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let length = Math.min(text.length, 24);
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > room) length--;
  return `${text.slice(0, length)}…`;
}

/** Bars over the points and beside them: where the kept runs are, in front of all.
 * @param {CanvasRenderingContext2D} context @param {Scatter} scatter @param {Area} area */
function drawMarginals(context, { x, y, rows, kept, accent }, { left, top, width, height }) {
  const { grid } = tokens();
  for (const [scale, isAcross] of /** @type {const} */ ([
    [x, true],
    [y, false],
  ])) {
    const bins = binCount(scale, MOST_BINS);
    const all = countsOf(scale, rows, bins);
    const some = kept.length < rows.length ? countsOf(scale, kept, bins) : all;
    const highest = all.reduce((most, count) => Math.max(most, count), 1);
    const wide = ((isAcross ? width : height) - 2 * AIR) / bins;
    for (const [counts, colour] of /** @type {const} */ ([
      [all, grid],
      [some, accent],
    ])) {
      context.fillStyle = colour;
      counts.forEach((count, bin) => {
        if (!count) return;
        const high = Math.max(1, (count / highest) * (MARGINAL - 4));
        if (isAcross) context.fillRect(left + AIR + bin * wide, top - AIR / 2 - high, Math.max(1, wide - 1), high);
        else
          context.fillRect(left + width + AIR / 2, top + height - AIR - (bin + 1) * wide, high, Math.max(1, wide - 1));
      });
    }
  }
}
