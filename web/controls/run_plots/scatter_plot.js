// Draws a scatter plot of two columns with marginal histograms.

import { clearedContext } from "../../charts/histogram/frame.js";
import { tokens } from "../../charts/theme.js";
import { binCount, countsOf } from "./bins.js";
import { ticksOf } from "./scale.js";

/** @typedef {import("./scale.js").Scale} Scale */

/** @typedef {object} Scatter
 * @property {Scale} x @property {Scale} y
 * @property {readonly number[]} rows all visible rows
 * @property {readonly number[]} kept the highlighted ones among them
 * @property {{css: string[], byRow: Uint8Array}} colours
 * @property {Float32Array | null} sizes 0 to 1 by row; null if all are equal
 * @property {readonly string[]} runs by row
 */

const LEFT = 52;
const BOTTOM = 26;
const HISTOGRAM_HEIGHT = 28;
const HISTOGRAM_OPACITY = 0.45;
const PADDING = 8;
const MAX_BINS = 24;
const RADIUS = 3.5;
/** The radii for the smallest and the largest value. */
const SIZE_RANGE = [2, 9];
const TWO_PI = 2 * Math.PI;

/** The area of the points, in CSS pixels. @param {number} width @param {number} height */
const areaOf = (width, height) => ({
  left: LEFT,
  top: HISTOGRAM_HEIGHT + PADDING,
  width: Math.max(1, width - LEFT - HISTOGRAM_HEIGHT - PADDING),
  height: Math.max(1, height - HISTOGRAM_HEIGHT - PADDING - BOTTOM),
});

/**
 * The place of a row; points of a category are spread out by a fixed pseudo-random sequence.
 * @param {Scale} scale @param {number} row @param {number} salt
 */
function scatteredPlace({ kind, places, column }, row, salt) {
  const place = places[row];
  if (kind !== "category" || place < 0) return place;
  const spread = (((row + 1) * salt) % 1) - 0.5;
  return place + (spread * 0.6) / column.categories.length;
}

/** The positions of the points: alternating x and y by row, NaN for rows without a point.
 * @param {Scatter} scatter @param {number} width @param {number} height */
export function pointsOf({ x, y }, width, height) {
  const { left, top, width: plotWidth, height: high } = areaOf(width, height);
  const points = new Float32Array(2 * x.places.length).fill(NaN);
  for (let row = 0; row < x.places.length; row++) {
    const [across, up] = [scatteredPlace(x, row, 0.6180339887), scatteredPlace(y, row, 0.7548776662)];
    if (across < 0 || up < 0) continue;
    points[2 * row] = left + PADDING + across * (plotWidth - 2 * PADDING);
    points[2 * row + 1] = top + PADDING + (1 - up) * (high - 2 * PADDING);
  }
  return points;
}

/**
 * The row whose point is closest; null if none is within `maxDistance`.
 * @param {Float32Array} points @param {readonly number[]} rows @param {number} x @param {number} y
 * @param {number} maxDistance
 */
export function rowAt(points, rows, x, y, maxDistance) {
  let closest = null;
  let nearest = maxDistance;
  for (const row of rows) {
    const distance = Math.hypot(points[2 * row] - x, points[2 * row + 1] - y);
    if (distance < nearest) [closest, nearest] = [row, distance];
  }
  return closest;
}

/**
 * @param {HTMLCanvasElement} canvas @param {Scatter} scatter @param {Float32Array} points @param {number} width
 * @param {number} height
 * @returns {number} points drawn of kept rows */
export function drawScatter(canvas, scatter, points, width, height) {
  const context = clearedContext(canvas, width, height);
  const area = areaOf(width, height);
  drawFrame(context, scatter, area);
  drawMarginals(context, scatter, area);
  const { rows, kept, colours, sizes } = scatter;
  if (kept.length < rows.length) {
    context.fillStyle = tokens().label;
    context.globalAlpha = 0.16;
    fillPoints(context, points, rows, () => 2);
  }
  context.globalAlpha = kept.length > 500 ? 0.6 : 0.85;
  /** @type {number[][]} */
  const byColour = colours.css.map(() => []);
  let drawn = 0;
  for (const row of kept) {
    if (Number.isNaN(points[2 * row])) continue;
    drawn++;
    byColour[colours.byRow[row]]?.push(row);
  }
  const radius = kept.length > 500 ? 2.5 : RADIUS;
  const radiusOf = sizes
    ? (/** @type {number} */ row) =>
        sizes[row] >= 0 ? SIZE_RANGE[0] + (SIZE_RANGE[1] - SIZE_RANGE[0]) * Math.sqrt(sizes[row]) : SIZE_RANGE[0]
    : () => radius;
  byColour.forEach((rowsOfColour, colour) => {
    context.fillStyle = colours.css[colour];
    fillPoints(context, points, rowsOfColour, radiusOf);
  });
  context.globalAlpha = 1;
  return drawn;
}

/**
 * @param {CanvasRenderingContext2D} context @param {Float32Array} points @param {readonly number[]} rows
 * @param {(row: number) => number} radiusOf
 */
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
  for (const { place, text } of ticksOf(x, { length: width - 2 * PADDING, isVertical: false, space: 72 })) {
    const at = alignToPixel(left + PADDING + place * (width - 2 * PADDING));
    if (x.kind !== "category") [context.moveTo(at, top), context.lineTo(at, top + height)];
    context.fillText(x.kind === "category" ? truncate(context, text, 84) : text, at, top + height + 7);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const { place, text } of ticksOf(y, { length: height - 2 * PADDING, isVertical: true, space: 36 })) {
    const at = alignToPixel(top + PADDING + (1 - place) * (height - 2 * PADDING));
    if (y.kind !== "category") [context.moveTo(left, at), context.lineTo(left + width, at)];
    context.fillText(y.kind === "category" ? truncate(context, text, LEFT - 8) : text, left - 5, at);
  }
  context.rect(alignToPixel(left), alignToPixel(top), Math.round(width), Math.round(height));
  context.stroke();
}

/** @param {number} pixel */
const alignToPixel = (pixel) => Math.round(pixel - 0.5) + 0.5;

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} room */
function truncate(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let length = Math.min(text.length, 24);
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > room) length--;
  return `${text.slice(0, length)}…`;
}

/** Draws pale histograms above and to the right of the points: the kept rows in front of all.
 * @param {CanvasRenderingContext2D} context @param {Scatter} scatter @param {Area} area */
function drawMarginals(context, { x, y, rows, kept }, { left, top, width, height }) {
  const { grid, accent } = tokens();
  for (const [scale, isAcross] of /** @type {const} */ ([
    [x, true],
    [y, false],
  ])) {
    const bins = binCount(scale, MAX_BINS);
    const all = countsOf(scale, rows, bins);
    const some = kept.length < rows.length ? countsOf(scale, kept, bins) : all;
    const highest = all.reduce((most, count) => Math.max(most, count), 1);
    const plotWidth = ((isAcross ? width : height) - 2 * PADDING) / bins;
    for (const [counts, colour, opacity] of /** @type {const} */ ([
      [all, grid, 1],
      [some, accent, HISTOGRAM_OPACITY],
    ])) {
      context.fillStyle = colour;
      context.globalAlpha = opacity;
      counts.forEach((count, bin) => {
        if (!count) return;
        const high = Math.max(1, (count / highest) * (HISTOGRAM_HEIGHT - 4));
        if (isAcross)
          context.fillRect(
            left + PADDING + bin * plotWidth,
            top - PADDING / 2 - high,
            Math.max(1, plotWidth - 1),
            high,
          );
        else
          context.fillRect(
            left + width + PADDING / 2,
            top + height - PADDING - (bin + 1) * plotWidth,
            high,
            Math.max(1, plotWidth - 1),
          );
      });
    }
  }
  context.globalAlpha = 1;
}
