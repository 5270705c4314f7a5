// Computes the plans of a card's plots from its listings and the settings.

import { xExtent } from "../../../charts/extent.js";
import { distributionsOf, lastOfEachStep, valueExtent } from "../../../charts/histogram/buckets.js";
import { binsOf, countScale, gridOver } from "../../../charts/histogram/rebin.js";
import { startOf, styles } from "../../../data/runs/runs.js";
import { sharedExtent } from "./outliers.js";

/** @typedef {import("../../../data/tags/listing.js").Listing} Listing */
/** @typedef {import("../../../charts/histogram/buckets.js").Line} Line */
/** @typedef {import("../../../charts/ticks.js").Axis} Axis */
/** @typedef {import("../../../charts/histogram/frame.js").Plan} Plan */
/** @typedef {import("../settings.js").Mode} Mode */

/** More runs in one card cannot be distinguished. */
export const MAX_RUNS = 12;
const FEWEST_BINS = 30;
const MAX_BINS = 160;
const PIXELS_PER_BIN = 4;

/** The number of steps to request for a plot's size. Few distinct values, so that resizing seldom causes a request.
 * @param {Mode} mode @param {number} width of a plot @param {number} height */
export function stepsFor(mode, width, height) {
  if (mode === "single") return 100;
  const room = mode === "ridge" ? height / 4 : width / 4;
  return room < 75 ? 50 : room < 150 ? 100 : 200;
}

/** @param {number} width of a plot */
const binsFor = (width) => Math.min(MAX_BINS, Math.max(FEWEST_BINS, Math.round(width / PIXELS_PER_BIN / 10) * 10));

/** The runs whose listing is loaded, in start order.
 * @param {Listing[]} listings @param {Axis} axis @returns {Line[]} */
export const linesOf = (listings, axis) =>
  listings.flatMap((listing) =>
    listing.reply.value ? [lineOf(listing.query?.run ?? "", distributionsOf(listing.reply.value), axis)] : [],
  );

/** @param {string} run @param {import("../../../charts/histogram/buckets.js").Distribution[]} distributions
 * @param {Axis} axis @returns {Line} */
function lineOf(run, distributions, axis) {
  const style = styles.value.get(run) ?? { colour: 0, dash: 0 };
  const zero = axis === "relative" ? startOf(run) : 0;
  const rows =
    axis === "step" ? lastOfEachStep(distributions) : distributions.toSorted((a, b) => a.wallTime - b.wallTime);
  return { run, style, rows, at: Float64Array.from(rows, (row) => (axis === "step" ? row.step : row.wallTime - zero)) };
}

/** The runs that diverged: most of their values are beyond the axis that suits the runs together, where the others would
 * be a solid block. They have axes of their own.
 * @param {Line[]} lines @returns {Line[]} */
export function divergedLines(lines) {
  const extent = sharedExtent(lines.map(({ rows }) => rows));
  if (!extent || lines.length < 2) return [];
  const grid = gridOver(extent, FEWEST_BINS);
  return lines.filter(({ rows }) => {
    const total = rows.reduce((sum, row) => sum + row.total, 0);
    return countWithin(rows, grid) * 2 < total;
  });
}

/** @param {import("../../../charts/histogram/buckets.js").Distribution[]} rows
 * @param {import("../../../charts/histogram/rebin.js").Grid} grid */
const countWithin = (rows, grid) =>
  rows.reduce((sum, row) => sum + binsOf(row, grid).reduce((inside, count) => inside + count, 0), 0);

/** The scales of plots: shared by all plots of a card, or of one run.
 * @param {Line[]} lines @param {Mode} mode @param {number} width of a plot
 * @param {boolean} trim exclude outliers from the axis? */
export function sharedScales(lines, mode, width, trim) {
  const all = lines.flatMap((line) => line.rows);
  const extent = trim ? sharedExtent(lines.map((line) => line.rows)) : valueExtent(all);
  const grid = gridOver(extent ?? [0, 1], binsFor(width));
  const beyond = trim ? all.reduce((sum, row) => sum + row.total, 0) - countWithin(all, grid) : 0;
  const scale = mode === "ridge" || mode === "heat" ? countScale(all, grid) : { scaleTop: 0, largest: 0 };
  return {
    grid,
    beyond,
    range: beyond ? /** @type {const} */ ([grid.lo, grid.hi]) : null,
    ...scale,
  };
}

/** @typedef {ReturnType<typeof sharedScales>} Scales */

/** @param {string} tag @param {Mode} mode @param {Line[]} lines @param {Axis} axis
 * @param {Scales} common @param {ReadonlyMap<Line, Scales>} ownScales of runs that do not have the common ones
 * @param {{onOneBaseline: boolean, log: boolean, dark: boolean, step: number | null}} settings @returns {Plan[]} */
export function plansOf(tag, mode, lines, axis, common, ownScales, settings) {
  const together = mode === "bands" || mode === "single";
  const groups = together ? (lines.length ? [lines] : []) : lines.map((line) => [line]);
  // Runs at different times share no wall-time range: each has its own.
  const extentOf = (/** @type {Line[]} */ group) => xExtent(group.map((line) => line.at)) ?? [0, 1];
  const window = extentOf(lines);
  return groups.map((group) => {
    const { grid, range, scaleTop } = (together ? null : ownScales.get(group[0])) ?? common;
    return {
      tag,
      lines: group,
      all: lines,
      axis,
      window: axis === "wall_time" ? extentOf(group) : window,
      maxRows: Math.max(0, ...lines.map((line) => line.rows.length)),
      grid,
      range,
      scaleTop,
      ...settings,
    };
  });
}
