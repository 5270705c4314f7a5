// Histograms of a single step: bars for one run, outlines for several.

import { rowAtStep } from "../../../charts/histogram/buckets.js";
import {
  bottomAxis,
  countTicks,
  fromPixel,
  heightOf,
  sideAxis,
  stroke,
  toPixel,
  valueTicks,
} from "../../../charts/histogram/frame.js";
import { binOf, binsOf } from "../../../charts/histogram/rebin.js";
import { dashOf, tokens } from "../../../charts/theme.js";

/** @typedef {import("../../../charts/histogram/frame.js").Plan} Plan */
/** @typedef {import("../../../charts/histogram/frame.js").Area} Area */

/** The bins of each run at the shown step.
 * @param {Plan} plan */
const shownOf = ({ lines, step, grid }) =>
  lines.flatMap(({ run, style, rows }) => {
    const row = rows[rowAtStep(rows, step ?? Infinity)];
    return row ? [{ run, style, row, bins: binsOf(row, grid) }] : [];
  });

/** @param {ReturnType<typeof shownOf>} shown */
const mostOf = (shown) => shown.reduce((most, { bins }) => Math.max(most, ...bins), 0);

/** @param {CanvasRenderingContext2D} context @param {Plan} plan @param {Area} area */
function paint(context, plan, area) {
  const shown = shownOf(plan);
  const most = mostOf(shown);
  const baseline = area.top + area.height;
  const top = (/** @type {number} */ count) => baseline - heightOf(count, plan, most || 1) * (area.height - 4);
  sideAxis(context, area, countTicks(most, plan.log, area.height), top, "left", true);
  const values = /** @type {const} */ ([plan.grid.lo, plan.grid.hi]);
  const binWidth = area.width / plan.grid.bins;
  for (const { style, bins } of shown) {
    const colour = tokens().palette[style.colour];
    context.fillStyle = colour;
    context.strokeStyle = colour;
    context.setLineDash(dashOf(style, 1));
    if (shown.length === 1) bars(context, bins, area, binWidth, top);
    else outline(context, bins, area, binWidth, top);
  }
  context.setLineDash([]);
  bottomAxis(context, area, values, valueTicks(values, area.width));
}

/** Non-empty bins are at least a pixel high.
 * @param {CanvasRenderingContext2D} context @param {Float64Array} bins @param {Area} area @param {number} binWidth
 * @param {(count: number) => number} top */
function bars(context, bins, area, binWidth, top) {
  const gap = binWidth > 4 ? 1 : 0;
  const baseline = area.top + area.height;
  bins.forEach((count, bin) => {
    if (!count) return;
    const y = Math.min(baseline - 1, top(count));
    context.fillRect(area.left + bin * binWidth + gap / 2, y, binWidth - gap, baseline - y);
  });
}

/** @param {CanvasRenderingContext2D} context @param {Float64Array} bins @param {Area} area @param {number} binWidth
 * @param {(count: number) => number} top */
function outline(context, bins, area, binWidth, top) {
  const baseline = area.top + area.height;
  context.beginPath();
  context.moveTo(area.left, baseline);
  bins.forEach((count, bin) => {
    context.lineTo(area.left + bin * binWidth, top(count));
    context.lineTo(area.left + (bin + 1) * binWidth, top(count));
  });
  context.lineTo(area.left + area.width, baseline);
  context.globalAlpha = 0.1;
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = 1.5;
  context.stroke();
  context.lineWidth = 1;
}

/** @type {import("../../../charts/histogram/frame.js").Drawing["target"]} */
function target(plan, area, x) {
  const [first] = shownOf(plan);
  return first
    ? { step: first.row.step, value: fromPixel([plan.grid.lo, plan.grid.hi], x, area.left, area.width), run: first.run }
    : null;
}

/** @type {import("../../../charts/histogram/frame.js").Drawing["mark"]} */
function mark(context, plan, area, _step, value) {
  if (value === null) return;
  const binWidth = area.width / plan.grid.bins;
  context.fillStyle = tokens().label;
  context.globalAlpha = 0.16;
  context.fillRect(area.left + binOf(plan.grid, value) * binWidth, area.top, binWidth, area.height);
  context.globalAlpha = 1;
  context.strokeStyle = tokens().label;
  const x = toPixel([plan.grid.lo, plan.grid.hi], value, area.left, area.width);
  stroke(context, [[x, area.top, x, area.top + area.height]]);
}

/** @type {import("../../../charts/histogram/frame.js").Drawing} */
export const SINGLE = { margins: [10, 16, 26, 48], paint, target, mark };
