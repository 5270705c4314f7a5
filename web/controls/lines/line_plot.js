// The plot of some feeds and the drawn runs under given settings, and counts of its points.

import { lowerBound } from "../../charts/binary_search.js";
import { clippedOf, countSpikes } from "../../charts/clipped.js";
import { xExtent, yExtent } from "../../charts/extent.js";
import { drawnOf, sideOf } from "../../charts/plot.js";
import { COLOURS, DASHES } from "../../data/colours/run_styles.js";
import { styleOfGroup } from "../../data/groups/received_groups.js";
import { baseline as baselineRun } from "../../data/runs/baseline.js";
import { attemptCounts, rankCounts, writerCounts } from "../../data/runs/catalogue.js";
import { marked } from "../../data/runs/marked_runs.js";
import { axisStart, drawnRuns, styles } from "../../data/runs/runs.js";
import { bestOf, isBestKnown } from "../../data/series/best_values.js";
import { countPoints, opensOnWallTime, xsOf } from "../../data/series/series.js";
import { tagLabels } from "../../data/tags/names.js";
import { withContext } from "./context_lines.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/plot.js").Plot} Plot */
/** @typedef {import("../../charts/plot.js").Line} Line */
/** @typedef {import("../../data/series/series.js").Series} Series */
/** @typedef {import("../../charts/ticks.js").Axis} Axis */
/** @typedef {import("../../data/view/address.js").Window} Window */
/** @typedef {import("../../data/series/card_series.js").Feed} Feed */

/** How series become the lines of a plot.
 * @typedef {object} PlotSettings
 * @property {Axis} axis
 * @property {Window | null} window null = all points
 * @property {import("../../data/series/ranges.js").OpenRange} [y] of the left axis, as typed
 * @property {boolean} log @property {boolean} logX
 * @property {boolean} isSmooth draw the smoothed values in front
 * @property {import("../../charts/plot.js").RawStyle} [raw] how the raw values behind them are drawn; absent = as a band
 * @property {"off" | "min" | "max"} best the value to mark on each line
 * @property {boolean} isRobust the y ranges follow most of what is in front, instead of all values
 * @property {import("../../data/series/scalar_view.js").Limit[]} limits
 * @property {string} rank the one that was requested
 * @property {boolean} [byTag] do colours distinguish tags instead of runs?
 * @property {string} [groupedBy] how runs are grouped; absent = as on the scalars page
 * @property {(line: Line) => Line["margin"]} [marginOf] the area around a line
 */

/** A tag of a chart with its series.
 * @typedef {{tag: string, side: "left" | "right", series: Series[], feed?: Feed}} TagSeries
 * A tag with the feed of its series. @typedef {TagSeries & {feed: Feed}} Part */

/** Dashed; its colour is neutral. */
const BASELINE_STYLE = { colour: 0, dash: 1 };

/** Returns the drawn series of a feed, in start order, or its bands.
 * @param {Feed} feed @returns {Series[]} */
export function drawnSeries(feed) {
  feed.version.value;
  if (feed.isBands) return [...feed.series.values()].flat();
  return drawnRuns.value.flatMap((run) => feed.series.get(run) ?? []);
}

/** Some series are drawn over wall time instead of steps.
 * @template {Axis} Chosen
 * @param {Chosen} axis @param {string} tag @param {Series[]} series @returns {Chosen | "wall_time"} */
export const axisFor = (axis, tag, series) => (axis === "step" && opensOnWallTime(tag, series) ? "wall_time" : axis);

/** @param {string} tag */
const goalOf = (tag) => (isBestKnown(tag) ? bestOf(tag) : null);

/** @param {TagSeries[]} parts @param {PlotSettings} settings
 * @param {TagSeries | null} [baseline] a run that is drawn under the lines of the parts
 * @returns {Plot | null} null without points of the parts */
export function plotOf(parts, settings, baseline = null) {
  const { axis, window, log, logX, limits, marginOf } = settings;
  const found = parts.flatMap((part, place) => linesOf(part, place, parts, settings));
  const own = marginOf ? found.map((line) => ({ ...line, margin: marginOf(line) })) : found;
  const all = own.length && baseline ? [...baselineLines(baseline, settings), ...own] : own;
  const lines = withContext(all, marked.value, goalOf);
  const whole = window ?? xExtent(lines.map((line) => line.xs));
  if (!whole || !lines.length) return null;
  const x = logX ? aboveZero(whole, lines) : whole;
  const y = heights(lines, x, settings);
  const isTyped = settings.y?.some((end) => end !== null) ?? false;
  const clipped = isTyped ? [] : clippedOf(lines, x, y, log);
  return { lines, axis, log, logX, raw: settings.raw, x, isWhole: window === null, y, limits, clipped };
}

/** @param {Line[]} lines @param {Window} x @param {PlotSettings} settings */
function heights(lines, x, settings) {
  const reach = (/** @type {"left" | "right"} */ side) => {
    const own = lines.filter((line) => sideOf(line) === side);
    if (!own.length) return null;
    const extent = extentOf(own, x, settings, side);
    return side === "left" && settings.y ? withTyped(extent, settings.y, settings.log) : extent;
  };
  return { left: reach("left"), right: reach("right") };
}

/** @param {Line[]} lines @param {Window} x @param {PlotSettings} settings @param {"left" | "right"} side */
const extentOf = (lines, x, { log, isRobust, limits }, side) =>
  yExtent(lines.map(drawnOf), x, { log, isRobust, also: side === "left" ? limits.map(({ value }) => value) : [] });

/** A typed range that is empty, or not above zero on a logarithmic axis, has no effect.
 * @param {Window} extent @param {import("../../data/series/ranges.js").OpenRange} typed @param {boolean} log
 * @returns {Window} */
function withTyped(extent, [lo, hi], log) {
  const range = /** @type {const} */ ([lo ?? extent[0], hi ?? extent[1]]);
  return range[0] < range[1] && !(log && range[0] <= 0) ? range : extent;
}

/** A logarithmic axis starts at the first point above zero.
 * @param {Window} window @param {Line[]} lines @returns {Window} */
function aboveZero([lo, hi], lines) {
  if (lo > 0) return [lo, hi];
  const first = Math.min(...lines.map(({ xs }) => xs[lowerBound(xs, Number.MIN_VALUE)] ?? Infinity));
  return first < hi ? [first, hi] : [Math.max(hi, 1) / 2, Math.max(hi, 1)];
}

/** @param {TagSeries} part @param {number} place @param {TagSeries[]} parts @param {PlotSettings} settings @returns {Line[]} */
function linesOf({ tag, side, series, feed }, place, parts, settings) {
  const drawn = series.filter(({ step }) => step.length);
  const byRun = Map.groupBy(drawn, ({ run }) => run);
  const label = tagLabels(parts.map((part) => part.tag))[place];
  const isOnlyRun = parts.length > 1 && parts.every((part) => part.series.length <= 1);
  return [...byRun.values()].flatMap((ofRun) =>
    ofRun.map((single, order) => {
      const base = baseStyle(single, settings.groupedBy);
      const style = settings.byTag ? styleOfTag(base, place) : shifted(base, place, order, isOnlyRun);
      const kin = [...(parts.length > 1 ? [label] : []), ...kinOf(single, settings.rank)];
      return lineOf(single, settings, {
        key: JSON.stringify([tag, single.run, single.rank, single.attempt]),
        tag,
        isExpression: feed?.isExpression ?? false,
        side,
        kin,
        style,
      });
    }),
  );
}

/** @param {Series} series @param {string} [groupedBy] */
const baseStyle = (series, groupedBy) =>
  series.band ? styleOfGroup(series.run, groupedBy) : (styles.value.get(series.run) ?? { colour: 0, dash: 0 });

/** @param {TagSeries} baseline @param {PlotSettings} settings @returns {Line[]} */
const baselineLines = ({ tag, side, series }, settings) =>
  series
    .filter(({ step }) => step.length)
    .map((single) => ({
      ...lineOf(single, settings, {
        key: JSON.stringify(["baseline", tag, single.rank, single.attempt]),
        tag,
        side,
        kin: kinOf(single, settings.rank),
        style: BASELINE_STYLE,
      }),
      raw: null,
      flag: null,
      isBaseline: true,
    }));

/** Lines of one run share its colour and differ in dashes; if there is only one run, its tags differ in colours.
 * @param {import("../../data/colours/run_styles.js").LineStyle} style @param {number} tag @param {number} order
 * @param {boolean} isOnlyRun */
function shifted({ colour, dash }, tag, order, isOnlyRun) {
  if (isOnlyRun) return { colour: tag ? (colour + tag) % COLOURS : colour, dash };
  return { colour, dash: (dash + tag + order) % DASHES.length };
}

/** Each tag has a colour; runs differ in dashes.
 * @param {import("../../data/colours/run_styles.js").LineStyle} style of the run @param {number} tag */
const styleOfTag = ({ colour }, tag) => ({ colour: tag % COLOURS, dash: colour % DASHES.length });

/** What distinguishes a series from others of its run.
 * @param {Series} series @param {string} rank the one that was requested */
function kinOf({ run, rank: ownRank = 0, attempt: ownAttempt, band }, rank) {
  if (band) return [];
  const ranks = rank && (rankCounts.value.get(run) ?? 1) > 1 ? [whoOf(run, ownRank)] : [];
  const kin = run === baselineRun.value ? [t("read.baseline"), ...ranks] : ranks;
  return typeof ownAttempt === "number" && (attemptCounts.value.get(run) ?? 1) > 1
    ? [...kin, t("card.attempt", { attempt: ownAttempt })]
    : kin;
}

/** "rank 2"; "writer 2" or "3 writers" of a run that has writers in place of ranks.
 * @param {string} run @param {number} rank */
function whoOf(run, rank) {
  const count = writerCounts.value.get(run) ?? 0;
  if (!count) return t("card.rank", { rank });
  return rank ? t("card.writer", { writer: rank }) : t("card.writers", { count });
}

/** @param {Series} series @param {PlotSettings} settings
 * @param {Pick<Line, "key" | "tag" | "isExpression" | "side" | "kin" | "style">} place @returns {Line} */
function lineOf(series, settings, place) {
  const { axis } = settings;
  const { run, value, smoothed } = series;
  const isSmooth = settings.isSmooth && smoothed.length === value.length;
  const xs = xsOf(series, axis, axisStart(run, axis));
  return {
    ...place,
    run,
    xs,
    ys: isSmooth ? smoothed : value,
    raw: isSmooth ? value : null,
    series,
    flag: flagOf(series, xs, settings.best),
  };
}

/** @param {Series} series @param {Float64Array} xs @param {PlotSettings["best"]} best */
function flagOf(series, xs, best) {
  const extreme = best === "off" ? null : series[best];
  if (!extreme) return null;
  const index = series.value.findIndex((value, at) => value === extreme.value && series.step[at] === extreme.step);
  const near = index >= 0 ? index : series.value.indexOf(extreme.value);
  return near >= 0 ? { x: xs[near], y: extreme.value, step: extreme.step } : null;
}

/** Returns the lines with points beyond each threshold in the window, drawn or not.
 * @param {Plot} plot */
export const beyondLimits = ({ lines, limits: plotLimits = [] }) =>
  plotLimits.map((limit) => ({
    ...limit,
    lines: lines.filter((line) => sideOf(line) === "left" && isBeyond(line.series, limit)),
  }));

/** @param {Series} series @param {import("../../data/series/scalar_view.js").Limit} limit */
function isBeyond({ min, max, value: column }, { above, value }) {
  const extreme = above ? max : min;
  if (extreme && (above ? extreme.value > value : extreme.value < value)) return true;
  return column.some((y) => (above ? y === Infinity : y === -Infinity));
}

/** Counts points for the notes of a chart.
 * @param {Series[]} lines @param {Plot | null} plot @param {Pick<PlotSettings, "log">} settings */
export function pointCounts(lines, plot, { log }) {
  let dropped = 0;
  if (log) for (const { value } of lines) for (const y of value) if (y <= 0) dropped++;
  let left = 0;
  if (plot?.logX) for (const { xs } of plot.lines) left += lowerBound(xs, Number.MIN_VALUE);
  return { ...countPoints(lines), dropped, left, spikes: countSpikes(plot?.clipped ?? []) };
}
