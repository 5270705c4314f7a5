// The ranges of charts: an x range that all charts of the page's axis share, or one of a chart; y ranges of charts.

import { batch, computed } from "@preact/signals-core";
import { parseTriples, printList } from "../view/address_lists.js";
import { axis, change, set, setting, view, zooms } from "../view/view.js";
import { xOf } from "./x_axis.js";

/** @typedef {import("../view/address.js").Window} Window */

/** A typed range; null = that end is automatic. @typedef {readonly [lo: number | null, hi: number | null]} OpenRange */

const link = setting("scalar.link", "on", /** @type {const} */ (["on", "off"]));
/** Does zooming one chart zoom all charts of the same axis? */
export const areLinked = computed(() => link.value === "on");

const shared = setting("scalar.range", /** @type {string} */ (""));
/** The x range of all charts of one axis that have none of their own, null = all points: the values of a tag, or the
 * page's axis if `x` is "". */
const sharedRange = computed(() => {
  const [lo = "", hi = "", ...tag] = shared.value.split(",");
  const window = parseRange(`${lo},${hi}`);
  return window && { window, x: tag.join(",") };
});

/** @param {string} text @returns {Window | null} */
function parseRange(text) {
  const [lo, hi, ...more] = text.split(",").map((part) => (part.trim() ? Number(part) : NaN));
  return more.length === 0 && lo < hi && Number.isFinite(hi - lo) ? [lo, hi] : null;
}

/** @param {Window | null} range @param {string} [x] */
const withShared = (range, x = "") => {
  const { "scalar.range": _, ...own } = view.peek().own;
  return { own: range ? { ...own, "scalar.range": [...range, ...(x ? [x] : [])].join() } : own };
};

/** The tag on the x axis of a chart whose range can be shared, "" for the page's axis; null = it has another axis.
 * @param {string} tag @param {string} chartAxis */
function sharedBy(tag, chartAxis) {
  if (chartAxis === "value") return xOf(tag).x;
  return chartAxis === axis.value ? "" : null;
}

/** The x range of a chart; null = all points.
 * @param {string} tag @param {string} chartAxis */
export function rangeOf(tag, chartAxis) {
  const range = sharedRange.value;
  return zooms.value[tag] ?? (range && range.x === sharedBy(tag, chartAxis) ? range.window : null);
}

/** Zooms a chart, and while ranges are linked all charts of its axis; null = to all points.
 * @param {string} tag @param {string} chartAxis @param {Window | null} range */
export function zoomTo(tag, chartAxis, range) {
  const { [tag]: own, ...others } = zooms.peek();
  const x = sharedBy(tag, chartAxis);
  if (areLinked.peek() && x !== null) change({ zooms: {}, ...withShared(range, x) });
  else if (range) change({ zooms: { ...others, [tag]: range } });
  else if (own) change({ zooms: others });
  else resetRanges();
}

/** Applies a gesture on a chart: its x range is shared while ranges are linked, its y range is its own.
 * @param {string} tag @param {string} chartAxis @param {import("../view/address.js").Zoom | null} zoom null = the whole
 * of both */
export function zoomBox(tag, chartAxis, zoom) {
  const { x, y } = zoom ?? { x: null, y: /** @type {const} */ ([null, null]) };
  batch(() => {
    if (x !== undefined) zoomTo(tag, chartAxis, x);
    if (y) setYRange(tag, y);
  });
}

/** All charts show all points. */
const resetRanges = () => change({ zooms: {}, ...withShared(null) });

/** Linked charts follow the shared range; others keep what they show.
 * @param {boolean} linked */
export function linkRanges(linked) {
  set({ "scalar.link": linked ? "" : "off" });
  if (linked) change({ zooms: {} });
}

const yText = setting("scalar.y", /** @type {string} */ (""));
/** @type {import("@preact/signals-core").ReadonlySignal<ReadonlyMap<string, OpenRange>>} by tag */
export const yRanges = computed(
  () => new Map(parseTriples(yText.value).map(([tag, lo, hi]) => [tag, [finite(lo), finite(hi)]])),
);

/** @param {string} text @returns {number | null} */
const finite = (text) => (text.trim() && Number.isFinite(Number(text)) ? Number(text) : null);

/** @param {string} tag @param {OpenRange} range of its left axis */
export function setYRange(tag, range) {
  const all = new Map(yRanges.peek()).set(tag, range);
  const kept = [...all].filter(([, [lo, hi]]) => lo !== null || hi !== null);
  set({ "scalar.y": printList(kept.flatMap(([name, [lo, hi]]) => [name, String(lo ?? ""), String(hi ?? "")])) });
}
