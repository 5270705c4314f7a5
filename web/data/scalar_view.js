// What the address says about the scalars page alone: smoothing, axes, ranks, groups, pins, thresholds, tags that share a chart.

import { computed } from "@preact/signals-core";
import { parseList, parseThrees, printList } from "./address_lists.js";
import { movedTo } from "./card_order.js";
import { RankChoice } from "./ranks.js";
import { METHODS, smoothingText, usable } from "./smoothing.js";
import { change, set, setting, smooth } from "./view.js";

/** Which tags share a chart, and on which axis. @typedef {{tag: string, side: "left" | "right"}} Companion */
/** A value that a series of a tag should not pass. @typedef {{above: boolean, value: number}} Limit */

/** @type {import("@preact/signals-core").ReadonlySignal<import("./smoothing.js").Method>} */
export const method = setting("scalar.smooth", "ema", METHODS);
const halfLife = setting("scalar.half_life", "");
const windowWidth = setting("scalar.window", "");

/** How much the chosen method smooths; 0 = not. */
export const amount = computed(() =>
  method.value === "ema"
    ? smooth.value
    : usable(method.value, Number(method.value === "time" ? halfLife.value : windowWidth.value)),
);
/** As the server is asked for it; "" = none. */
export const smoothing = computed(() => smoothingText(method.value, amount.value));

/** @param {number} wanted */
export function smoothBy(wanted) {
  const value = usable(method.peek(), wanted);
  if (method.peek() === "ema") change({ smooth: value });
  else set({ [method.peek() === "time" ? "scalar.half_life" : "scalar.window"]: value ? String(value) : "" });
}

const logXWanted = setting("scalar.x", "linear", ["linear", "log"]);
export const logXChosen = computed(() => logXWanted.value === "log");
export const outliers = setting("scalar.outliers", "drawn", ["drawn", "ignored"]);
/** @type {import("@preact/signals-core").ReadonlySignal<"off" | "min" | "max">} */
export const best = setting("scalar.best", "off", /** @type {const} */ (["off", "min", "max"]));

export const ranks = new RankChoice("scalar", "scalar", true);
export const { rank, attempt } = ranks;

/** @type {import("@preact/signals-core").ReadonlySignal<"off" | "none" | "regex" | "param">} */
export const grouping = setting("scalar.group", "off", /** @type {const} */ (["off", "none", "regex", "param"]));
export const pattern = setting("scalar.pattern", "");
export const parameter = setting("scalar.param", "");
/** @type {import("@preact/signals-core").ReadonlySignal<"mean" | "median">} */
export const centre = setting("scalar.centre", "mean", /** @type {const} */ (["mean", "median"]));
/** @type {import("@preact/signals-core").ReadonlySignal<"minmax" | "std" | "quartiles" | "none">} */
export const band = setting("scalar.band", "minmax", /** @type {const} */ (["minmax", "std", "quartiles", "none"]));

/** How runs are brought together; null = each is drawn for itself, also while it is not said by what. */
export const bands = computed(() => {
  const how = {
    none: "none",
    regex: pattern.value && `regex:${pattern.value}`,
    param: parameter.value && `param:${parameter.value}`,
    off: "",
  };
  const by = how[grouping.value];
  return by ? { by, centre: centre.value, band: band.value } : null;
});

const pinned = setting("scalar.pin", "");
export const pins = computed(() => parseList(pinned.value));
/** @param {readonly string[]} tags */
const pin = (tags) => set({ "scalar.pin": printList(tags) });
/** @param {string} tag */
export const togglePin = (tag) =>
  pin(pins.peek().includes(tag) ? pins.peek().filter((other) => other !== tag) : [...pins.peek(), tag]);

/** @param {string} tag of a pinned card @param {string} other whose place it takes */
export const placePin = (tag, other) => pin(movedTo(pins.peek(), tag, other));

const withText = setting("scalar.with", "");
/** @type {import("@preact/signals-core").ReadonlySignal<Map<string, Companion[]>>} by the card's tag */
export const companions = computed(() =>
  byTag(parseThrees(withText.value), (tag, side) => ({ tag, side: side === "right" ? "right" : "left" })),
);

/** @param {string} card @param {readonly Companion[]} wanted */
export function accompany(card, wanted) {
  const all = new Map(companions.peek()).set(card, [...wanted]);
  set({
    "scalar.with": printList(
      [...all].flatMap(([name, several]) => several.flatMap(({ tag, side }) => [name, tag, side])),
    ),
  });
}

const limitText = setting("scalar.limit", "");
/** @type {import("@preact/signals-core").ReadonlySignal<Map<string, Limit[]>>} */
export const limits = computed(() =>
  byTag(parseThrees(limitText.value), (side, value) =>
    value !== "" && Number.isFinite(Number(value)) ? { above: side !== "below", value: Number(value) } : null,
  ),
);

/** @param {string} tag @param {readonly Limit[]} wanted */
export function limit(tag, wanted) {
  const all = new Map(limits.peek()).set(tag, [...wanted]);
  set({
    "scalar.limit": printList(
      [...all].flatMap(([name, several]) =>
        several.flatMap(({ above, value }) => [name, above ? "above" : "below", String(value)]),
      ),
    ),
  });
}

/** @template Entry
 * @param {Array<[string, string, string]>} threes @param {(second: string, third: string) => Entry | null} entryOf @returns {Map<string, Entry[]>} */
function byTag(threes, entryOf) {
  /** @type {Map<string, Entry[]>} */
  const found = new Map();
  for (const [tag, second, third] of threes) {
    const entry = entryOf(second, third);
    if (entry !== null) found.set(tag, [...(found.get(tag) ?? []), entry]);
  }
  return found;
}
