// Histograms as ridges, one for each step: behind one another, the newest in front, or all on one ground.

import { nearestRow, nonFiniteCount, rowAtStep } from "../../../charts/histogram/buckets.js";
import {
  axisTicks,
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

/** @typedef {import("../../../charts/histogram/frame.js").Plan} Plan */
/** @typedef {import("../../../charts/histogram/frame.js").Area} Area */
/** @typedef {import("../../../charts/histogram/buckets.js").Distribution} Distribution */

/** Share of the area that the highest ridge takes. */
const LIFT = 0.42;
/** Share of the run's colour in the line of its oldest ridge; the newest has it whole. */
const FAINTEST = 0.45;
/** The same of what is below the line, oldest and newest. */
const [PALEST, DEEPEST] = [0.12, 0.78];

/** @param {Plan} plan @param {Area} area */
const liftOf = ({ front, mostRows }, { height }) => (front || mostRows === 1 ? height - 6 : height * LIFT);

/** Where a ridge stands.
 * @param {Plan} plan @param {Area} area @param {number} at */
const groundOf = (plan, area, at) =>
  plan.front || plan.mostRows === 1
    ? area.top + area.height
    : toPixel(plan.window, at, area.top + liftOf(plan, area), area.height - liftOf(plan, area));

/** @param {Plan} plan @param {Distribution} row @param {number} bin @param {number} lift */
const riseOf = (plan, row, bin, lift) => heightOf(binsOf(row, plan.grid)[bin], plan) * lift;

/** @param {Plan} plan @returns {[number, number]} */
const valuesOf = ({ grid }) => [grid.lo, grid.hi];

/** The outline of a ridge, through the middles of its bins; where they hold nothing it is a straight line.
 * @param {Plan} plan @param {Area} area @param {number} index */
function outline(plan, area, index) {
  const { rows, at } = plan.lines[0];
  const ground = groundOf(plan, area, at[index]);
  const lift = liftOf(plan, area);
  const wide = area.width / plan.grid.bins;
  const bins = binsOf(rows[index], plan.grid);
  const path = new Path2D();
  path.moveTo(area.left, ground);
  bins.forEach((count, bin) => {
    if (count || bins[bin - 1] || bins[bin + 1])
      path.lineTo(area.left + (bin + 0.5) * wide, ground - heightOf(count, plan) * lift);
  });
  path.lineTo(area.left + area.width, ground);
  return path;
}

/** @param {CanvasRenderingContext2D} context @param {Plan} plan @param {Area} area */
function paint(context, plan, area) {
  const [{ rows, at, style }] = plan.lines;
  const { palette, surface } = tokens();
  const [ground, colour] = [rgbOf(surface), rgbOf(palette[style.colour])];
  bottomAxis(context, area, valuesOf(plan), valueTicks(valuesOf(plan), area.width / 56), true);
  if (plan.front) {
    const top = (/** @type {number} */ count) => area.top + area.height - heightOf(count, plan) * liftOf(plan, area);
    sideAxis(context, area, countTicks(plan.tallest, plan.log, area.height / 26), top, "right", false);
  } else {
    const ticks = axisTicks(plan.axis, plan.window, (area.height * (1 - LIFT)) / 18);
    sideAxis(context, area, ticks, (place) => groundOf(plan, area, place), "right", false);
  }
  rows.forEach((_, index) => {
    const age = rows.length > 1 ? index / (rows.length - 1) : 1;
    const path = outline(plan, area, index);
    context.fillStyle = cssOf(mix(ground, colour, PALEST + (DEEPEST - PALEST) * age));
    context.strokeStyle = cssOf(mix(ground, colour, FAINTEST + (1 - FAINTEST) * age));
    if (!plan.front) context.fill(path);
    context.stroke(path);
  });
  const right = area.left + area.width - 8;
  triangles(
    context,
    rows.map((row, index) => (nonFiniteCount(row) ? [right, groundOf(plan, area, at[index]) - 4] : null)),
    "right",
  );
}

/** The foremost ridge under a pixel; in the open, the one whose ground is nearest.
 * @type {import("../../../charts/histogram/frame.js").Drawing["aim"]} */
function aim(plan, area, x, y) {
  const { rows, at, run } = plan.lines[0];
  if (!rows.length) return null;
  const value = fromPixel(valuesOf(plan), x, area.left, area.width);
  const bin = binOf(plan.grid, value);
  const lift = liftOf(plan, area);
  const above = (/** @type {number} */ index) =>
    groundOf(plan, area, at[index]) - riseOf(plan, rows[index], bin, lift) - y;
  if (plan.front) return { step: rows[closest(rows.map((_, index) => above(index)))].step, value, run };
  const covering = rows.findLastIndex((_, index) => above(index) <= 0 && y <= groundOf(plan, area, at[index]));
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
  const path = outline(plan, area, index);
  context.fillStyle = palette[style.colour];
  context.globalAlpha = plan.front ? 0.25 : 0.9;
  context.fill(path);
  context.globalAlpha = 1;
  context.strokeStyle = tokens().text;
  context.lineWidth = 1.5;
  context.stroke(path);
  context.lineWidth = 1;
  if (value === null) return;
  const bin = binOf(plan.grid, value);
  const top = groundOf(plan, area, at[index]) - riseOf(plan, rows[index], bin, liftOf(plan, area));
  context.beginPath();
  context.arc(area.left + ((bin + 0.5) * area.width) / plan.grid.bins, top, 3, 0, 7);
  context.fillStyle = tokens().surface;
  context.fill();
  context.stroke();
}

/** @type {import("../../../charts/histogram/frame.js").Drawing} */
export const RIDGE = { margins: [8, 46, 26, 12], paint, aim, mark };
