// Percentile bands over the steps.

import { xExtent } from "../../../charts/extent.js";
import { nearestRow, nonFiniteCount, percentiles, rowAtStep, SHARES } from "../../../charts/histogram/buckets.js";
import {
  bottomAxis,
  fromPixel,
  sideAxis,
  stroke,
  toPixel,
  triangles,
  valueTicks,
} from "../../../charts/histogram/frame.js";
import { dashOf, tokens } from "../../../charts/theme.js";
import { axisTicks } from "../../../charts/ticks.js";

/** @typedef {import("../../../charts/histogram/frame.js").Plan} Plan */
/** @typedef {import("../../../charts/histogram/frame.js").Area} Area */
/** @typedef {import("../../../charts/histogram/buckets.js").Line} Line */

const MEDIAN = SHARES.indexOf(0.5);
/** Opacity of each band, from the outermost inwards. */
const STRENGTHS = [0.1, 0.16, 0.22, 0.3];
/** With more runs, only the two inner bands are drawn, and no lines for the extremes. */
const FEW_RUNS = 3;
/** Half the width of a band with a single step. */
const SINGLE_HALF_WIDTH = 8;

/** @param {Plan} plan @returns {[number, number]} */
function rangeOf({ lines, range }) {
  if (range) return [...range];
  const ends = lines.flatMap(({ rows }) => rows.filter((row) => row.total).map((row) => percentiles(row)));
  const [lo, hi] = xExtent(ends.map((values) => [values[0], values[values.length - 1]])) ?? [0, 1];
  const padding = (hi / 2 - lo / 2) * 0.08;
  return [lo - padding, hi + padding];
}

/** @param {CanvasRenderingContext2D} context @param {Plan} plan @param {Area} area */
function paint(context, plan, area) {
  const range = rangeOf(plan);
  const top = topOf(range, area);
  sideAxis(context, area, valueTicks(range, area.height, true), top, "left", true);
  bottomAxis(context, area, plan.window, axisTicks(plan.axis, plan.window, { length: area.width }));
  if (plan.range) clip(context, area);
  for (const line of plan.lines) paintLine(context, plan, area, line, top);
  if (plan.range) context.restore();
}

/** Clips drawing to the area until the context is restored.
 * @param {CanvasRenderingContext2D} context @param {Area} area */
function clip(context, { left, top, width, height }) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
}

/** @param {CanvasRenderingContext2D} context @param {Plan} plan @param {Area} area @param {Line} line
 * @param {(value: number) => number} top */
function paintLine(context, plan, area, { rows, at, style }, top) {
  const colour = tokens().palette[style.colour];
  const left = (/** @type {number} */ index) => toPixel(plan.window, at[index], area.left, area.width);
  const filled = rows.flatMap((row, index) => (row.total ? [index] : []));
  const columns =
    filled.length === 1
      ? [-SINGLE_HALF_WIDTH, SINGLE_HALF_WIDTH].map((aside) => ({
          x: left(filled[0]) + aside,
          values: percentiles(rows[filled[0]]),
        }))
      : filled.map((index) => ({ x: left(index), values: percentiles(rows[index]) }));
  context.fillStyle = colour;
  context.strokeStyle = colour;
  STRENGTHS.forEach((strength, band) => {
    if (plan.lines.length > (band ? FEW_RUNS : 1) && band < 2) return;
    const upper = columns.map(({ x, values }) => [x, top(values[SHARES.length - 1 - band])]);
    const lower = columns.toReversed().map(({ x, values }) => [x, top(values[band])]);
    context.globalAlpha = plan.lines.length > 1 ? strength * 0.6 : strength;
    context.beginPath();
    for (const [x, y] of [...upper, ...lower]) context.lineTo(x, y);
    context.fill();
  });
  context.setLineDash(dashOf(style, 1));
  context.globalAlpha = 0.4;
  for (const extreme of plan.lines.length > 1 && plan.lines.length <= FEW_RUNS ? [0, SHARES.length - 1] : []) {
    context.beginPath();
    for (const { x, values } of columns) context.lineTo(x, top(values[extreme]));
    context.stroke();
  }
  context.globalAlpha = 1;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const { x, values } of columns) context.lineTo(x, top(values[MEDIAN]));
  context.stroke();
  context.setLineDash([]);
  context.lineWidth = 1;
  triangles(
    context,
    rows.map((row, index) => (nonFiniteCount(row) ? [left(index), area.top] : null)),
    "down",
  );
}

/** @param {readonly [number, number]} range @param {Area} area */
const topOf =
  ([lo, hi], area) =>
  (/** @type {number} */ value) =>
    toPixel([hi, lo], value, area.top, area.height);

/** The nearest step, of the run with the nearest median.
 * @type {import("../../../charts/histogram/frame.js").Drawing["target"]} */
function target(plan, area, x, y) {
  const [lo, hi] = rangeOf(plan);
  const place = fromPixel(plan.window, x, area.left, area.width);
  const value = fromPixel([hi, lo], y, area.top, area.height);
  const hits = plan.lines
    .filter(({ rows }) => rows.length)
    .map(({ rows, at, run }) => ({ run, row: rows[nearestRow(at, place)] }));
  const [best] = hits.toSorted((a, b) => distanceToMedian(a.row, value) - distanceToMedian(b.row, value));
  return best ? { step: best.row.step, value, run: best.run } : null;
}

/** @param {import("../../../charts/histogram/buckets.js").Distribution} row @param {number} value */
const distanceToMedian = (row, value) => (row.total ? Math.abs(percentiles(row)[MEDIAN] - value) : Infinity);

/** @type {import("../../../charts/histogram/frame.js").Drawing["mark"]} */
function mark(context, plan, area, step) {
  const top = topOf(rangeOf(plan), area);
  const { label, palette, surface } = tokens();
  clip(context, area);
  for (const { rows, at, style } of plan.lines) {
    const index = step === null ? -1 : rowAtStep(rows, step);
    if (index < 0) continue;
    const x = toPixel(plan.window, at[index], area.left, area.width);
    context.strokeStyle = label;
    stroke(context, [[x, area.top, x, area.top + area.height]]);
    context.strokeStyle = palette[style.colour];
    context.fillStyle = surface;
    if (!rows[index].total) continue;
    percentiles(rows[index]).forEach((value, place) => {
      if (plan.lines.length > FEW_RUNS && (place < 2 || place > SHARES.length - 3)) return;
      context.beginPath();
      context.arc(x, top(value), place === MEDIAN ? 3.5 : 2, 0, 7);
      context.fill();
      context.stroke();
    });
  }
  context.restore();
}

/** @type {import("../../../charts/histogram/frame.js").Drawing} */
export const BANDS = { margins: [10, 16, 26, 48], paint, target, mark };
