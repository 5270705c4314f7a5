// Draws a histogram as bars, and finds the bin under a point.

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

/**
 * @param {HTMLCanvasElement} canvas @param {Bins} bins @param {{width: number, height: number}} size
 * @param {{isLog: boolean, colour: string, pointedBin: number | null}} style
 */
export function drawBars(canvas, { counts, lo, width: perBin }, { width, height }, { isLog, colour, pointedBin }) {
  const context = clearedContext(canvas, width, height);
  const area = areaOf(width, height, MARGINS);
  const baseline = area.top + area.height;
  const highestCount = counts.reduce((highest, count) => Math.max(highest, count), 0);
  const top = (/** @type {number} */ count) =>
    baseline - heightOf(count, { log: isLog, scaleTop: highestCount }) * area.height;

  const ticks = countTicks(highestCount, isLog, area.height);
  sideAxis(context, area, ticks, top, "left", true);
  const barWidth = area.width / counts.length;
  context.fillStyle = colour;
  counts.forEach((count, bin) => {
    if (!count) return;
    const barHeight = Math.max(1, baseline - top(count));
    context.globalAlpha = pointedBin === null || pointedBin === bin ? 1 : 0.45;
    context.fillRect(area.left + bin * barWidth, baseline - barHeight, barWidth - (barWidth > 5 ? 1 : 0), barHeight);
  });
  context.globalAlpha = 1;
  const range = /** @type {const} */ ([lo, lo + counts.length * perBin]);
  bottomAxis(context, area, range, valueTicks(range, area.width));
}

/** The bin at a horizontal position; null outside the bars.
 * @param {number} count of bins @param {number} x @param {number} width */
export function binAt(count, x, width) {
  const { left, width: plotWidth } = areaOf(width, 1, MARGINS);
  const bin = Math.floor(((x - left) / plotWidth) * count);
  return bin >= 0 && bin < count ? bin : null;
}
