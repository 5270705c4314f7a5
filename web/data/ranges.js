// The ranges of charts: an x range that all charts of the page's axis share, or one of a chart; y ranges of charts.

import { computed } from "@preact/signals-core";
import { parseTriples, printList } from "./address_lists.js";
import { axis, change, set, setting, view, zooms } from "./view.js";

/** @typedef {import("./address.js").Window} Window */
/** @typedef {import("./address.js").Axis} Axis */

/** A typed range; null = that end is automatic. @typedef {readonly [lo: number | null, hi: number | null]} OpenRange */

const link = setting("scalar.link", "on", /** @type {const} */ (["on", "off"]));
/** Does zooming one chart zoom all charts of the same axis? */
export const areLinked = computed(() => link.value === "on");

const shared = setting("scalar.range", /** @type {string} */ (""));
/** The x range of all charts of the page's axis that have none of their own; null = all points. */
export const sharedRange = computed(() => parseRange(shared.value));

/** @param {string} text @returns {Window | null} */
export function parseRange(text) {
  const [lo, hi, ...more] = text.split(",").map((part) => (part.trim() ? Number(part) : NaN));
  return more.length === 0 && lo < hi && Number.isFinite(hi - lo) ? [lo, hi] : null;
}

/** @param {Window | null} range */
const withShared = (range) => {
  const { "scalar.range": _, ...own } = view.peek().own;
  return { own: range ? { ...own, "scalar.range": range.join() } : own };
};

/** The x range of a chart; null = all points.
 * @param {string} tag @param {string} chartAxis */
export const rangeOf = (tag, chartAxis) => zooms.value[tag] ?? (chartAxis === axis.value ? sharedRange.value : null);

/** Zooms a chart, and while ranges are linked all charts of its axis; null = to all points.
 * @param {string} tag @param {string} chartAxis @param {Window | null} range */
export function zoomTo(tag, chartAxis, range) {
  const { [tag]: own, ...others } = zooms.peek();
  if (areLinked.peek() && chartAxis === axis.peek()) change({ zooms: {}, ...withShared(range) });
  else if (range) change({ zooms: { ...others, [tag]: range } });
  else if (own) change({ zooms: others });
  else resetRanges();
}

/** All charts show all points. */
export const resetRanges = () => change({ zooms: {}, ...withShared(null) });

/** Linked charts follow the shared range; others keep what they show.
 * @param {boolean} linked */
export function linkRanges(linked) {
  set({ "scalar.link": linked ? "" : "off" });
  if (linked) change({ zooms: {} });
}

/** Ranges are in the unit of the axis, and are reset with it.
 * @param {Axis} next */
export const changeAxis = (next) => change({ axis: next, zooms: {}, ...withShared(null) });

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
