// Settings of the scalars page in the URL: smoothing, axes, ranks, groups, pins, thresholds, tags that share a chart.

import { batch, computed } from "@preact/signals-core";
import { groupsOf } from "../groups/run_groups.js";
import { RankChoice } from "../runs/ranks.js";
import { movedTo } from "../tags/card_order.js";
import { pathsOf } from "../tags/tag_paths.js";
import { parseList, parseTriples, printList } from "../view/address_lists.js";
import { change, logarithmic, set, setting, smooth } from "../view/view.js";
import { AUTOMATIC, clampStrength, METHODS, smoothingText } from "./smoothing.js";

/** Which tags share a chart, and on which axis. @typedef {{tag: string, side: "left" | "right"}} Companion */
/** A threshold of a tag. @typedef {{above: boolean, value: number}} Limit */

/** @type {import("@preact/signals-core").ReadonlySignal<import("./smoothing.js").Method>} */
export const method = setting("scalar.smooth", "ema", METHODS);
const halfLife = setting("scalar.half_life", "");
const windowWidth = setting("scalar.window", "");

/** The strength of the selected method; 0 = off. */
export const strength = computed(() =>
  method.value === "ema"
    ? smooth.value
    : clampStrength(method.value, Number(method.value === "time" ? halfLife.value : windowWidth.value)),
);

const auto = setting("scalar.auto", "on", /** @type {const} */ (["on", "off"]));
/** Does the server smooth noisy series? Not while a strength is chosen. */
export const isAutomatic = computed(() => auto.value === "on" && strength.value === 0);
/** The request parameter; "" = none. */
export const smoothing = computed(() => (isAutomatic.value ? AUTOMATIC : smoothingText(method.value, strength.value)));

/** No strength is a choice, too: then noisy series are not smoothed either.
 * @param {number} strength */
export function smoothBy(strength) {
  const value = clampStrength(method.peek(), strength);
  batch(() => {
    if (method.peek() === "ema") change({ smooth: value });
    else set({ [method.peek() === "time" ? "scalar.half_life" : "scalar.window"]: value ? String(value) : "" });
    if (!value) set({ "scalar.auto": "off" });
  });
}

/** Smooths noisy series in place of a chosen smoothing, or none. */
export function toggleAutomatic() {
  const settings = { "scalar.auto": isAutomatic.peek() ? "off" : "", "scalar.half_life": "", "scalar.window": "" };
  batch(() => {
    change({ smooth: 0 });
    set(settings);
  });
}

const logText = setting("scalar.log", "");
const logGroups = computed(() => new Set(parseList(logText.value)));
/** Does a section have a logarithmic y axis of its own, whatever the page has?
 * @param {string} group */
export const isLogGroup = (group) => logGroups.value.has(group);

/** @param {string} tag */
export const isLogY = (tag) => logarithmic.value || pathsOf(tag).some(isLogGroup);

/** @param {string} group */
export function toggleLogGroup(group) {
  const others = [...logGroups.peek()].filter((other) => other !== group);
  set({ "scalar.log": printList(others.length < logGroups.peek().size ? others : [...others, group]) });
}

/** How raw values are drawn behind smoothed ones.
 * @type {import("@preact/signals-core").ReadonlySignal<"band" | "line" | "off">} */
export const rawStyle = setting("scalar.raw", "band", /** @type {const} */ (["band", "line", "off"]));

const xScale = setting("scalar.x", "linear", ["linear", "log"]);
export const logXChosen = computed(() => xScale.value === "log");
/** Do the y ranges leave out outliers, or show them? */
export const outliers = setting("scalar.outliers", "ignored", ["ignored", "drawn"]);
const wholeText = setting("scalar.whole", "");
const wholeTags = computed(() => new Set(parseList(wholeText.value)));
/** Does the chart of a tag show all its values, whatever the page does?
 * @param {string} tag */
export const isWhole = (tag) => wholeTags.value.has(tag);

/** @param {string} tag */
export function toggleWhole(tag) {
  const tags = new Set(wholeTags.peek());
  if (!tags.delete(tag)) tags.add(tag);
  set({ "scalar.whole": printList([...tags]) });
}
/** @type {import("@preact/signals-core").ReadonlySignal<"off" | "min" | "max">} */
export const best = setting("scalar.best", "off", /** @type {const} */ (["off", "min", "max"]));

export const ranks = new RankChoice("scalar", "scalar", true);
export const { rank, attempt } = ranks;

/** @type {import("@preact/signals-core").ReadonlySignal<"mean" | "median" | "sum">} */
export const centre = setting("scalar.centre", "mean", /** @type {const} */ (["mean", "median", "sum"]));
/** @type {import("@preact/signals-core").ReadonlySignal<"std" | "minmax" | "quartiles" | "none">} */
export const band = setting("scalar.band", "std", /** @type {const} */ (["std", "minmax", "quartiles", "none"]));

/** How groups of runs are drawn; null = runs are not grouped. */
export const bands = computed(() => groupsOf.value && { centre: centre.value, band: band.value });

const times = setting("scalar.times", "");
/** Does the read-out have steps and times of every line? */
export const readsTimes = computed(() => times.value !== "");

const pinned = setting("scalar.pin", "");
export const pins = computed(() => parseList(pinned.value));
/** @param {readonly string[]} tags */
const setPins = (tags) => set({ "scalar.pin": printList(tags) });
/** @param {string} tag */
export const togglePin = (tag) =>
  setPins(pins.peek().includes(tag) ? pins.peek().filter((other) => other !== tag) : [...pins.peek(), tag]);

/** @param {string} tag of a pinned card @param {string} other whose place it takes */
export const placePin = (tag, other) => setPins(movedTo(pins.peek(), tag, other));

const withText = setting("scalar.with", "");
/** @type {import("@preact/signals-core").ReadonlySignal<Map<string, Companion[]>>} by the card's tag */
export const companions = computed(() =>
  byTag(parseTriples(withText.value), (tag, side) => ({ tag, side: side === "right" ? "right" : "left" })),
);

/** @param {string} card @param {readonly Companion[]} tags */
export function setCompanions(card, tags) {
  const all = new Map(companions.peek()).set(card, [...tags]);
  set({
    "scalar.with": printList([...all].flatMap(([name, tags]) => tags.flatMap(({ tag, side }) => [name, tag, side]))),
  });
}

const limitText = setting("scalar.limit", "");
/** @type {import("@preact/signals-core").ReadonlySignal<Map<string, Limit[]>>} */
export const limits = computed(() =>
  byTag(parseTriples(limitText.value), (side, value) =>
    value !== "" && Number.isFinite(Number(value)) ? { above: side !== "below", value: Number(value) } : null,
  ),
);

/** @param {string} tag @param {readonly Limit[]} tagLimits */
export function setLimits(tag, tagLimits) {
  const all = new Map(limits.peek()).set(tag, [...tagLimits]);
  set({
    "scalar.limit": printList(
      [...all].flatMap(([name, tagLimits]) =>
        tagLimits.flatMap(({ above, value }) => [name, above ? "above" : "below", String(value)]),
      ),
    ),
  });
}

/** @template Entry
 * @param {Array<[string, string, string]>} triples @param {(second: string, third: string) => Entry | null} entryOf
 * @returns {Map<string, Entry[]>} */
function byTag(triples, entryOf) {
  /** @type {Map<string, Entry[]>} */
  const entries = new Map();
  for (const [tag, second, third] of triples) {
    const entry = entryOf(second, third);
    if (entry !== null) entries.set(tag, [...(entries.get(tag) ?? []), entry]);
  }
  return entries;
}
