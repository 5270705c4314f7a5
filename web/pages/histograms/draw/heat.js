// Heat map: a column per step, a row per bin, colours for counts.

import { nearestRow, nonFiniteCount, rowAtStep } from "../../../charts/histogram/buckets.js";
import {
  bottomAxis,
  fromPixel,
  heightOf,
  sideAxis,
  stroke,
  toPixel,
  triangles,
  valueTicks,
} from "../../../charts/histogram/frame.js";
import { binsOf } from "../../../charts/histogram/rebin.js";
import { tokens } from "../../../charts/theme.js";
import { axisTicks } from "../../../charts/ticks.js";
import { shadeOf } from "./colours.js";

/** @typedef {import("../../../charts/histogram/frame.js").Plan} Plan */
/** @typedef {import("../../../charts/histogram/frame.js").Area} Area */

/** The axis range, extended by half a column at both ends.
 * @param {Plan} plan @returns {[number, number]} */
function rangeOf({ window: [lo, hi], maxRows }) {
  const half = maxRows > 1 ? (hi - lo) / (maxRows - 1) / 2 : 0;
  return [lo - half, hi + half];
}

/** The edges of the columns, half-way between steps.
 * @param {Float64Array} at @param {readonly [number, number]} range */
function edgesOf(at, [lo, hi]) {
  const last = at.length - 1;
  const edges = Array.from(at, (place, index) =>
    index ? (at[index - 1] + place) / 2 : last ? place - (at[1] - place) / 2 : lo,
  );
  edges.push(last > 0 ? at[last] + (at[last] - at[last - 1]) / 2 : hi);
  return edges.map((edge) => Math.min(hi, Math.max(lo, edge)));
}

/** An image with one pixel per cell; empty bins are transparent.
 * @param {Plan} plan */
function cellsOf(plan) {
  const { rows } = plan.lines[0];
  const { bins } = plan.grid;
  const image = new ImageData(rows.length, bins);
  rows.forEach((row, column) => {
    binsOf(row, plan.grid).forEach((count, bin) => {
      if (!count) return;
      const at = ((bins - 1 - bin) * rows.length + column) * 4;
      image.data.set(shadeOf(heightOf(count, plan), plan.dark), at);
      image.data[at + 3] = 255;
    });
  });
  const canvas = new OffscreenCanvas(rows.length, bins);
  /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d")).putImageData(image, 0, 0);
  return canvas;
}

/** @param {CanvasRenderingContext2D} context @param {Plan} plan @param {Area} area */
function paint(context, plan, area) {
  const { rows, at } = plan.lines[0];
  const range = rangeOf(plan);
  sideAxis(context, area, valueTicks([plan.grid.lo, plan.grid.hi], area.height, true), topOf(plan, area), "left", true);
  bottomAxis(context, area, range, axisTicks(plan.axis, range, { length: area.width }));
  if (!rows.length) return;
  const cells = cellsOf(plan);
  const left = (/** @type {number} */ place) => toPixel(range, place, area.left, area.width);
  const edges = edgesOf(at, range).map((edge) => Math.round(left(edge) * devicePixelRatio) / devicePixelRatio);
  context.imageSmoothingEnabled = false;
  rows.forEach((_, column) => {
    const wide = Math.max(1, edges[column + 1] - edges[column]);
    context.drawImage(cells, column, 0, 1, plan.grid.bins, edges[column], area.top, wide, area.height);
  });
  triangles(
    context,
    rows.map((row, index) => (nonFiniteCount(row) ? [left(at[index]), area.top] : null)),
    "down",
  );
}

/** @param {Plan} plan @param {Area} area */
const topOf =
  ({ grid }, area) =>
  (/** @type {number} */ value) =>
    toPixel([grid.hi, grid.lo], value, area.top, area.height);

/** @type {import("../../../charts/histogram/frame.js").Drawing["target"]} */
function target(plan, area, x, y) {
  const { rows, at, run } = plan.lines[0];
  if (!rows.length) return null;
  const row = rows[nearestRow(at, fromPixel(rangeOf(plan), x, area.left, area.width))];
  return { step: row.step, value: fromPixel([plan.grid.hi, plan.grid.lo], y, area.top, area.height), run };
}

/** @type {import("../../../charts/histogram/frame.js").Drawing["mark"]} */
function mark(context, plan, area, step, value) {
  const { rows, at } = plan.lines[0];
  const index = step === null ? -1 : rowAtStep(rows, step);
  context.strokeStyle = tokens().label;
  if (value !== null) {
    const y = topOf(plan, area)(value);
    stroke(context, [[area.left, y, area.left + area.width, y]]);
  }
  if (index < 0) return;
  const range = rangeOf(plan);
  const [from, to] = edgesOf(at, range)
    .slice(index, index + 2)
    .map((edge) => toPixel(range, edge, area.left, area.width));
  context.strokeRect(Math.round(from) - 0.5, area.top - 0.5, Math.max(2, Math.round(to - from)) + 1, area.height + 1);
}

/** @type {import("../../../charts/histogram/frame.js").Drawing} */
export const HEAT = { margins: [8, 14, 26, 48], paint, target, mark };
