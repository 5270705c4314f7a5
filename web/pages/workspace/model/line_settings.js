// The settings of a line chart in a panel, with defaults in place of what is missing or invalid.

import { TAG_AXIS } from "../../../data/series/defined_axes.js";
import { AUTOMATIC } from "../../../data/series/smoothing.js";

/** @typedef {import("../../../data/workspaces/workspace_check.js").Settings} Settings */
/** The ends of a range; null = automatic. @typedef {readonly [lo: number | null, hi: number | null]} Range */

/** @typedef {object} LineSettings
 * @property {string[]} tags
 * @property {string[]} patterns regular expressions over tags
 * @property {string[]} expressions
 * @property {string[]} right tags, patterns and expressions on the right axis
 * @property {import("../../../data/view/address.js").Axis | "value"} axis
 * @property {string} x the tag on the x axis, if `axis` is "value"
 * @property {string} smooth the server's parameter; "" = off, "auto" = of noisy series
 * @property {import("../../../charts/plot.js").RawStyle} raw how raw values are drawn behind smoothed ones
 * @property {{x: Range, y: Range}} range
 * @property {boolean} log of the y axis
 * @property {boolean} logX
 * @property {"auto" | "on" | "off"} legend
 * @property {"run" | "tag"} colours what the colours distinguish
 * @property {"equal" | "last"} join how operands of expressions are joined
 * @property {"step" | "second"} rate the unit of rate()
 * @property {import("../../../data/client/api_types.js").Grouping | null} grouping bands of groups of runs; null = each run
 * @property {boolean} isRobust does the y range leave out outliers?
 */

export const AXES = /** @type {const} */ (["step", "relative_step", "relative", "active", "wall_time"]);
export const RAW_STYLES = /** @type {const} */ (["band", "line", "off"]);
const SMOOTHING = /^$|^(ema|time|median):\d+(\.\d+)?$/;
/** @type {Range} */
const OPEN = [null, null];

/** @param {Settings} settings @returns {LineSettings} */
export function lineSettings(settings) {
  const axis = String(settings.axis ?? "step");
  const isTag = axis.startsWith(TAG_AXIS) && axis.length > TAG_AXIS.length;
  const range = /** @type {Record<string, unknown>} */ (settings.range ?? {});
  return {
    tags: texts(settings.tags),
    patterns: texts(settings.patterns),
    expressions: texts(settings.expressions),
    right: texts(settings.right),
    axis: isTag ? "value" : oneOf(axis, AXES, "step"),
    x: isTag ? axis.slice(TAG_AXIS.length) : "",
    smooth: typeof settings.smooth === "string" && SMOOTHING.test(settings.smooth) ? settings.smooth : AUTOMATIC,
    raw: oneOf(settings.raw, RAW_STYLES, "band"),
    range: { x: rangeOf(range.x), y: rangeOf(range.y) },
    log: settings.log === true,
    logX: settings.log_x === true,
    legend: oneOf(settings.legend, /** @type {const} */ (["auto", "on", "off"]), "auto"),
    colours: oneOf(settings.colours, /** @type {const} */ (["run", "tag"]), "run"),
    join: oneOf(settings.join, /** @type {const} */ (["equal", "last"]), "equal"),
    rate: oneOf(settings.rate, /** @type {const} */ (["step", "second"]), "step"),
    isRobust: settings.outliers !== "drawn",
    grouping: groupingOf(settings),
  };
}

export const CENTRES = /** @type {const} */ (["mean", "median", "sum"]);
export const BANDS = /** @type {const} */ (["minmax", "std", "quartiles", "none"]);

/** "none" is one group of all runs. @param {Settings} settings */
function groupingOf({ group, centre, band }) {
  if (typeof group !== "string" || !/^(none|label|(param|regex):.+)$/s.test(group)) return null;
  return { by: group, centre: oneOf(centre, CENTRES, "mean"), band: oneOf(band, BANDS, "minmax") };
}

/** @param {unknown} value @returns {string[]} */
export const texts = (value) =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string" && each !== "") : [];

/** @template {string} Choice
 * @param {unknown} value @param {readonly Choice[]} choices @param {Choice} otherwise */
export const oneOf = (value, choices, otherwise) => choices.find((choice) => choice === value) ?? otherwise;

/** @param {unknown} value @returns {Range} */
function rangeOf(value) {
  if (!Array.isArray(value)) return OPEN;
  const [lo, hi] = value.map((end) => (typeof end === "number" && Number.isFinite(end) ? end : null));
  return lo != null && hi != null && lo >= hi ? OPEN : [lo ?? null, hi ?? null];
}

/** @param {Range} range @param {readonly [number, number]} computed @returns {[number, number]} */
export function withinRange([lo, hi], [least, most]) {
  const low = lo ?? least;
  const high = hi ?? most;
  if (low < high) return [low, high];
  return lo === null ? [high - 1, high] : [low, low + 1];
}
