// Ridgeline: one ridge per step, offset with the newest in front, or all on one baseline.

import { nearestRow, nonFiniteCount, rowAtStep } from "../../../charts/histogram/buckets.js";
import {
  bottomAxis,
  countTicks,
  fromPixel,
  heightOf,
  sideAxis,
  stroke,
  toPixel,
  triangles,
  valueTicks,
} from "../../../charts/histogram/frame.js";
import { binOf, binsOf } from "../../../charts/histogram/rebin.js";
import { cssOf, mix, rgbOf } from "../../../charts/rgb.js";
import { tokens } from "../../../charts/theme.js";
import { axisTicks } from "../../../charts/ticks.js";

/** @typedef {import("../../../charts/histogram/frame.js").Plan} Plan */
/** @typedef {import("../../../charts/histogram/frame.js").Area} Area */
/** @typedef {import("../../../charts/histogram/buckets.js").Distribution} Distribution */

/** Share of the area's height for the tallest ridge. */
const LIFT = 0.42;
/** Share of the run's colour in the line of the oldest ridge; the newest has the full colour. */
const FAINTEST = 0.45;
/** The same for the fill of the oldest and the newest ridge. */
const [PALEST, DEEPEST] = [0.12, 0.78];

/** @param {Plan} plan @param {Area} area */
const ridgeHeight = ({ onOneBaseline, maxRows }, { height }) =>
  onOneBaseline || maxRows === 1 ? height - 6 : height * LIFT;

/** The baseline of a ridge.
 * @param {Plan} plan @param {Area} area @param {number} at */
const baselineOf = (plan, area, at) =>
  plan.onOneBaseline || plan.maxRows === 1
    ? area.top + area.height
    : toPixel(plan.window, at, area.top + ridgeHeight(plan, area), area.height - ridgeHeight(plan, area));

/** @param {Plan} plan @param {Distribution} row @param {number} bin @param {number} lift */
const heightInPixels = (plan, row, bin, lift) => heightOf(binsOf(row, plan.grid)[bin], plan) * lift;

/** @param {Plan} plan @returns {[number, number]} */
const valuesOf = ({ grid }) => [grid.lo, grid.hi];

/** The outline of a ridge through the centres of its bins; runs of empty bins are one straight line. And its crest, the
 * outline without these lines: the baselines of many ridges together would be a solid block.
 * @param {Plan} plan @param {Area} area @param {number} index */
function pathsOf(plan, area, index) {
  const { rows, at } = plan.lines[0];
  const baseline = baselineOf(plan, area, at[index]);
  const lift = ridgeHeight(plan, area);
  const binWidth = area.width / plan.grid.bins;
  const bins = binsOf(rows[index], plan.grid);
  const [outline, crest] = [new Path2D(), new Path2D()];
  let isDown = false;
  outline.moveTo(area.left, baseline);
  bins.forEach((count, bin) => {
    const isEmpty = !count && !bins[bin - 1] && !bins[bin + 1];
    if (!isEmpty) {
      const [x, y] = [area.left + (bin + 0.5) * binWidth, baseline - heightOf(count, plan) * lift];
      outline.lineTo(x, y);
      crest[isDown ? "lineTo" : "moveTo"](x, y);
    }
    isDown = !isEmpty;
  });
  outline.lineTo(area.left + area.width, baseline);
  return { outline, crest };
}

/** @param {CanvasRenderingContext2D} context @param {Plan} plan @param {Area} area */
function paint(context, plan, area) {
  const [{ rows, at, style }] = plan.lines;
  const { palette, surface } = tokens();
  const [background, colour] = [rgbOf(surface), rgbOf(palette[style.colour])];
  bottomAxis(context, area, valuesOf(plan), valueTicks(valuesOf(plan), area.width), true);
  if (plan.onOneBaseline) {
    const top = (/** @type {number} */ count) =>
      area.top + area.height - heightOf(count, plan) * ridgeHeight(plan, area);
    sideAxis(context, area, countTicks(plan.scaleTop, plan.log, area.height), top, "right", false);
  } else {
    const ticks = axisTicks(plan.axis, plan.window, { length: area.height * (1 - LIFT), isVertical: true, space: 18 });
    sideAxis(context, area, ticks, (place) => baselineOf(plan, area, place), "right", false);
  }
  rows.forEach((_, index) => {
    const age = rows.length > 1 ? index / (rows.length - 1) : 1;
    context.fillStyle = cssOf(mix(background, colour, PALEST + (DEEPEST - PALEST) * age));
    context.strokeStyle = cssOf(mix(background, colour, FAINTEST + (1 - FAINTEST) * age));
    const { outline, crest } = pathsOf(plan, area, index);
    if (!plan.onOneBaseline) context.fill(outline);
    context.stroke(crest);
  });
  const right = area.left + area.width - 8;
  triangles(
    context,
    rows.map((row, index) => (nonFiniteCount(row) ? [right, baselineOf(plan, area, at[index]) - 4] : null)),
    "right",
  );
}

/** The foremost ridge under a pixel; elsewhere the one with the nearest baseline.
 * @type {import("../../../charts/histogram/frame.js").Drawing["target"]} */
function target(plan, area, x, y) {
  const { rows, at, run } = plan.lines[0];
  if (!rows.length) return null;
  const value = fromPixel(valuesOf(plan), x, area.left, area.width);
  const bin = binOf(plan.grid, value);
  const lift = ridgeHeight(plan, area);
  const above = (/** @type {number} */ index) =>
    baselineOf(plan, area, at[index]) - heightInPixels(plan, rows[index], bin, lift) - y;
  if (plan.onOneBaseline) return { step: rows[closest(rows.map((_, index) => above(index)))].step, value, run };
  const covering = rows.findLastIndex((_, index) => above(index) <= 0 && y <= baselineOf(plan, area, at[index]));
  const place = fromPixel(plan.window, y, area.top + lift, area.height - lift);
  return { step: rows[covering < 0 ? nearestRow(at, place) : covering].step, value, run };
}

/** @param {number[]} distances */
const closest = (distances) =>
  distances.reduce((best, distance, index) => (Math.abs(distance) <= Math.abs(distances[best]) ? index : best), 0);

/** @type {import("../../../charts/histogram/frame.js").Drawing["mark"]} */
function mark(context, plan, area, step, value) {
  const { label, palette } = tokens();
  const [{ rows, at, style }] = plan.lines;
  const index = step === null ? -1 : rowAtStep(rows, step);
  context.strokeStyle = label;
  if (value !== null) {
    const x = toPixel(valuesOf(plan), value, area.left, area.width);
    stroke(context, [[x, area.top, x, area.top + area.height]]);
  }
  if (index < 0) return;
  const { outline: path } = pathsOf(plan, area, index);
  context.fillStyle = palette[style.colour];
  context.globalAlpha = plan.onOneBaseline ? 0.25 : 0.9;
  context.fill(path);
  context.globalAlpha = 1;
  context.strokeStyle = tokens().text;
  context.lineWidth = 1.5;
  context.stroke(path);
  context.lineWidth = 1;
  if (value === null) return;
  const bin = binOf(plan.grid, value);
  const top = baselineOf(plan, area, at[index]) - heightInPixels(plan, rows[index], bin, ridgeHeight(plan, area));
  context.beginPath();
  context.arc(area.left + ((bin + 0.5) * area.width) / plan.grid.bins, top, 3, 0, 7);
  context.fillStyle = tokens().surface;
  context.fill();
  context.stroke();
}

/** @type {import("../../../charts/histogram/frame.js").Drawing} */
export const RIDGE = { margins: [8, 46, 26, 12], paint, target, mark };
