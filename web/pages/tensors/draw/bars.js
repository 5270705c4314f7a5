// The bars of one histogram on a canvas, and the bin under a point of it.

import {
  areaOf,
  bottomAxis,
  clearedContext,
  countTicks,
  heightOf,
  sideAxis,
  valueTicks,
} from "../../../charts/histogram/frame.js";

/** @typedef {{counts: Float64Array, lo: number, width: number}} Bins */

/** @type {import("../../../charts/histogram/frame.js").Drawing["margins"]} */
const MARGINS = [10, 16, 24, 52];

/** @param {HTMLCanvasElement} canvas @param {Bins} bins @param {{width: number, height: number}} size @param {{isLog: boolean, colour: string, at: number | null}} look */
export function drawBars(canvas, { counts, lo, width: perBin }, { width, height }, { isLog, colour, at }) {
  const context = clearedContext(canvas, width, height);
  const area = areaOf(width, height, MARGINS);
  const ground = area.top + area.height;
  const most = counts.reduce((highest, count) => Math.max(highest, count), 0);
  const top = (/** @type {number} */ count) => ground - heightOf(count, { log: isLog, scaleTop: most }) * area.height;
  const ticks = countTicks(most, isLog, area.height / 40).filter(({ at: tick }) => Number.isInteger(tick)); // No half elements.
  sideAxis(context, area, ticks, top, "left", true);
  const wide = area.width / counts.length;
  context.fillStyle = colour;
  counts.forEach((count, bin) => {
    if (!count) return;
    const high = Math.max(1, ground - top(count));
    context.globalAlpha = at === null || at === bin ? 1 : 0.45;
    context.fillRect(area.left + bin * wide, ground - high, wide - (wide > 5 ? 1 : 0), high);
  });
  context.globalAlpha = 1;
  const range = /** @type {const} */ ([lo, lo + counts.length * perBin]);
  bottomAxis(context, area, range, valueTicks(range, area.width / 90));
}

/** The bin under a point; null beside them.
 * @param {number} count of bins @param {number} x @param {number} width */
export function binUnder(count, x, width) {
  const { left, width: inside } = areaOf(width, 1, MARGINS);
  const bin = Math.floor(((x - left) / inside) * count);
  return bin >= 0 && bin < count ? bin : null;
}
