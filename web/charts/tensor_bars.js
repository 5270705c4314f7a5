// A histogram's bars on a canvas, with its two axes, and the bin under a point of it.

import { axisLabels, shortNumber } from "../lib/numbers.js";
import { tokens } from "./tokens.js";

/** @typedef {{counts: Float64Array, lo: number, width: number}} Bins */

const HEAD = 10;
const FOOT = 24;
const LEFT = 52;
const RIGHT = 16;
const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** @param {HTMLCanvasElement} canvas @param {Bins} bins @param {{width: number, height: number}} size @param {{isLog: boolean, colour: string, at: number | null}} look */
export function drawBars(canvas, bins, { width, height }, { isLog, colour, at }) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.font = FONT;
  const { counts } = bins;
  const most = counts.reduce((highest, count) => Math.max(highest, count), 0);
  const rise = (/** @type {number} */ count) => (isLog ? Math.log10(count + 1) / Math.log10(most + 1) : count / most);
  const bottom = height - FOOT;
  drawCounts(context, most, isLog, width, (count) => bottom - rise(count) * (bottom - HEAD));
  const wide = (width - LEFT - RIGHT) / counts.length;
  const gap = wide > 5 ? 1 : 0;
  context.fillStyle = colour;
  for (let bin = 0; bin < counts.length; bin++) {
    if (!counts[bin]) continue;
    const high = Math.max(1, rise(counts[bin]) * (bottom - HEAD));
    context.globalAlpha = at === null || at === bin ? 1 : 0.45;
    context.fillRect(LEFT + bin * wide, bottom - high, wide - gap, high);
  }
  context.globalAlpha = 1;
  drawValues(context, bins, wide, width, bottom);
}

/** @param {CanvasRenderingContext2D} context @param {number} most @param {boolean} isLog @param {number} width @param {(count: number) => number} y */
function drawCounts(context, most, isLog, width, y) {
  const ticks = isLog ? [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8].filter((count) => count <= most) : [most / 4, most / 2, (3 * most) / 4, most];
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const count of [0, ...ticks]) {
    context.fillStyle = tokens().grid;
    context.fillRect(LEFT, Math.round(y(count)), width - LEFT - RIGHT, 1);
    context.fillStyle = tokens().label;
    context.fillText(shortNumber(count), LEFT - 8, y(count));
  }
}

/** @param {CanvasRenderingContext2D} context @param {Bins} bins @param {number} wide @param {number} width @param {number} bottom */
function drawValues(context, { counts, lo, width: perBin }, wide, width, bottom) {
  const most = Math.max(2, Math.floor((width - LEFT - RIGHT) / 90));
  const ticks = niceTicks(lo, lo + counts.length * perBin, most);
  const labels = axisLabels(ticks);
  context.textAlign = "center";
  context.textBaseline = "top";
  context.fillStyle = tokens().label;
  ticks.forEach((tick, place) => {
    const x = LEFT + ((tick - lo) / perBin) * wide;
    context.fillRect(Math.round(x), bottom, 1, 4);
    context.fillText(labels[place], x, bottom + 7);
  });
}

/** Round values within an extent.
 * @param {number} lo @param {number} hi @param {number} most */
function niceTicks(lo, hi, most) {
  const rough = (hi - lo) / most;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = decade * ([1, 2, 5, 10].find((factor) => factor * decade >= rough) ?? 10);
  const ticks = [];
  for (let place = Math.ceil(lo / step); place * step <= hi; place++) ticks.push(Number((place * step).toPrecision(12)));
  return ticks;
}

/** The bin under a point; null beside them.
 * @param {number} count of bins @param {number} x @param {number} width */
export function binUnder(count, x, width) {
  const bin = Math.floor(((x - LEFT) / (width - LEFT - RIGHT)) * count);
  return bin >= 0 && bin < count ? bin : null;
}
