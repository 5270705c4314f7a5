// What a card draws: from its feed, the drawn runs and the view to a plot, and what to say about it.

import { xExtent } from "../../lib/extent.js";
import { countPoints, staysAtOneStep, xsOf } from "../../lib/series.js";
import { drawnRuns, startOf, styles } from "../../state/runs.js";
import { axis, logarithmic, smooth, zooms } from "../../state/view.js";

/** @typedef {import("../../charts/plot.js").Plot} Plot */
/** @typedef {import("../../charts/plot.js").Line} Line */
/** @typedef {import("../../state/feed.js").Feed} Feed */
/** @typedef {import("../../lib/series.js").Series} Series */

/** The drawn series of a feed, in start order.
 * @param {Feed} feed @returns {Series[]} */
export function drawnSeries(feed) {
  feed.version.value;
  return drawnRuns.value.flatMap((run) => feed.series.get(run) ?? []);
}

/** A card whose series never leave one step says nothing on the step axis: it opens on wall time.
 * @param {Series[]} series @returns {import("../../lib/ticks.js").Axis} */
export const axisFor = (series) =>
  axis.value === "step" && series.length > 0 && series.every(staysAtOneStep) ? "wall_time" : axis.value;

/** @param {string} tag @param {import("../../lib/ticks.js").Axis} axis @returns {import("../../state/feed.js").Query} */
export const queryFor = (tag, axis) => ({ axis, smooth: smooth.value, window: zooms.value[tag] ?? null });

/** @param {string} tag @param {Series[]} several @param {import("../../lib/ticks.js").Axis} axis @returns {Plot | null} null without a point */
export function plotOf(tag, several, axis) {
  const lines = several.filter((series) => series.step.length).map((series) => lineOf(series, axis));
  const x = zooms.value[tag] ?? xExtent(lines.map((line) => line.xs));
  return x && lines.length ? { lines, axis, log: logarithmic.value, x } : null;
}

/** @param {Series} series @param {import("../../lib/ticks.js").Axis} axis @returns {Line} */
function lineOf(series, axis) {
  const { run, value, smoothed } = series;
  const isSmooth = smooth.value > 0 && smoothed.length === value.length;
  const xs = xsOf(series, axis, axis === "relative" ? startOf(run) : 0);
  const style = styles.value.get(run) ?? { colour: 0, dash: 0 };
  return { run, style, xs, ys: isSmooth ? smoothed : value, raw: isSmooth ? value : null, series };
}

/** What the corner of a card says about its points.
 * @param {Series[]} several */
export function remarks(several) {
  const log = logarithmic.value;
  let dropped = 0;
  if (log) for (const { value } of several) for (const y of value) if (y <= 0) dropped++;
  return { ...countPoints(several), dropped };
}
