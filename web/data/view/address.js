// The view: the state of the page that can be shared, and its form in the URL.

import { EVERYTHING, NOTHING } from "../runs/selection.js";
import { PAGES } from "./page_list.js";

/** @typedef {import("../runs/selection.js").Selection} Selection */
/** The unit of x: steps, seconds since the run started, seconds since 1970.
 * @typedef {"step" | "relative_step" | "relative" | "active" | "wall_time"} Axis */

/** A range of the x axis, both ends included.
 * @typedef {readonly [lo: number, hi: number]} Window */

/** What a gesture on a chart shows: an absent range stays as it is; x = null: all points.
 * @typedef {{x?: Window | null, y?: Window}} Zoom */

/** @typedef {import("./page_list.js").PageName} PageName */

/** @typedef {object} View
 * @property {PageName} page
 * @property {string} runs the search for runs
 * @property {string} tags regular expression over tags
 * @property {Selection} selection
 * @property {Axis} axis
 * @property {boolean} log y axis logarithmic
 * @property {number} smooth weight of the moving average, 0 = none
 * @property {Readonly<Record<string, Window>>} zooms windows by tag
 * @property {readonly string[]} closed collapsed groups
 * @property {string} focus tag shown in the run list, "" = selected automatically
 * @property {string | null} open the tag of the enlarged card; null = none
 * @property {"s" | "m" | "l"} size of the cards
 * @property {"" | "open" | "closed"} rail the run list, "" = automatic
 * @property {"" | "light" | "dark"} theme "" = the system's
 * @property {"" | "en" | "zh"} lang "" = the browser's
 * @property {string} saved the name of the saved view that was opened, "" = none
 * @property {Readonly<Record<string, string>>} own settings of single pages, by names that contain a dot
 * ("image.columns")
 */

/** @type {View} */
export const DEFAULT_VIEW = {
  page: "scalars",
  runs: "",
  tags: "",
  selection: EVERYTHING,
  axis: "step",
  log: false,
  smooth: 0,
  zooms: {},
  closed: [],
  focus: "",
  open: null,
  size: "m",
  rail: "",
  theme: "",
  lang: "",
  saved: "",
  own: {},
};

/** Returns the view after a change. Another page opens without an enlarged card.
 * @param {View} view @param {Partial<View>} patch @returns {View} */
export const changed = (view, patch) => ({
  ...view,
  ...(patch.page && patch.page !== view.page && { open: null }),
  ...patch,
});

/** Formats the view as hash parameters; defaults are omitted.
 * @param {View} view */
export function printView(view) {
  const parameters = new URLSearchParams();
  const put = (/** @type {string} */ name, /** @type {string} */ value) => value && parameters.append(name, value);
  put("page", view.page === "scalars" ? "" : view.page);
  put("runs", view.runs);
  put("tags", view.tags);
  put("x", view.axis === "step" ? "" : view.axis);
  put("y", view.log ? "log" : "");
  put("smooth", view.smooth ? String(view.smooth) : "");
  for (const [tag, [lo, hi]] of Object.entries(view.zooms)) put("zoom", `${lo},${hi},${tag}`);
  for (const group of view.closed) parameters.append("closed", group);
  put("focus", view.focus);
  if (view.open !== null) parameters.append("open", view.open);
  put("size", view.size === "m" ? "" : view.size);
  put("rail", view.rail);
  put("theme", view.theme);
  put("lang", view.lang);
  put("view", view.saved);
  for (const [name, value] of Object.entries(view.own)) put(name, value);
  return [parameters.toString(), printSelection(view.selection)].filter(Boolean).join("&");
}

/** A selection of thousands of runs is formatted once, not for every link. @type {WeakMap<Selection, string>} */
const printed = new WeakMap();

/** @param {Selection} selection */
function printSelection(selection) {
  const known = printed.get(selection);
  if (known !== undefined) return known;
  const parameters = new URLSearchParams();
  for (const run of selection.runs) parameters.append(selection.mode, run);
  if (selection.mode === "show" && selection.runs.size === 0) parameters.append("show", "");
  printed.set(selection, parameters.toString());
  return parameters.toString();
}

/** Does an address name what is to be opened, a short link or a view, and contain no state of its own?
 * @param {string} hash with or without its "#" */
export function isReference(hash) {
  const names = [...new URLSearchParams(hash.replace(/^#/, "")).keys()];
  return names.includes("link") || names.join() === "view";
}

/** Never throws: invalid values become the defaults.
 * @param {string} hash with or without its "#" @returns {View} */
export function parseView(hash) {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const text = (/** @type {string} */ name) => parameters.get(name) ?? "";
  return {
    page: oneOf(text("page"), PAGES, "scalars"),
    runs: text("runs"),
    tags: text("tags"),
    selection: parseSelection(parameters),
    axis: oneOf(text("x"), ["step", "relative_step", "relative", "active", "wall_time"], "step"),
    log: text("y") === "log",
    smooth: weight(Number(text("smooth"))),
    zooms: Object.fromEntries(parameters.getAll("zoom").flatMap(parseZoom)),
    closed: parameters.getAll("closed"),
    focus: text("focus"),
    open: parameters.get("open"),
    size: oneOf(text("size"), ["s", "m", "l"], "m"),
    rail: oneOf(text("rail"), ["", "open", "closed"], ""),
    theme: oneOf(text("theme"), ["", "light", "dark"], ""),
    lang: oneOf(text("lang"), ["", "en", "zh"], ""),
    saved: text("view"),
    own: Object.fromEntries([...parameters].filter(([name]) => name.includes("."))),
  };
}

/** @param {URLSearchParams} parameters @returns {Selection} */
function parseSelection(parameters) {
  const shown = parameters.getAll("show");
  if (shown.length) return shown.some(Boolean) ? { mode: "show", runs: new Set(shown.filter(Boolean)) } : NOTHING;
  return { mode: "hide", runs: new Set(parameters.getAll("hide").filter(Boolean)) };
}

/** @param {string} text @returns {Array<[string, Window]>} */
function parseZoom(text) {
  const [, lo, hi, tag] = /^([^,]+),([^,]+),(.+)$/s.exec(text) ?? [];
  return tag && Number(lo) < Number(hi) ? [[tag, [Number(lo), Number(hi)]]] : [];
}

/** Clamps the weight of the moving average.
 * @param {number} number */
const weight = (number) => (number > 0 ? Math.min(number, 0.999) : 0);

/** @template {string} Choice
 * @param {string} text @param {Choice[]} choices @param {Choice} otherwise */
const oneOf = (text, choices, otherwise) => choices.find((choice) => choice === text) ?? otherwise;
