// The x axis of each chart of scalars: chosen for the chart, its section or the page; or the one that a training defined.

import { computed } from "@preact/signals-core";
import { pathsOf } from "../tags/tag_paths.js";
import { parsePairs, printPairs } from "../view/address_lists.js";
import { axis, change, set, setting, view } from "../view/view.js";
import { TAG_AXIS } from "./defined_axes.js";
import { definedX } from "./step_metrics.js";

/** How x is chosen: a kind of axis, or a tag as "tag:NAME"; "" = as defined, steps otherwise.
 * @typedef {string} XChoice */
/** `x` is the tag whose values are x, if `axis` is "value".
 * @typedef {{axis: import("../view/address.js").Axis | "value", x: string}} XAxis */

/** @type {XAxis} */
const STEPS = { axis: "step", x: "" };

const chosen = setting("scalar.axis", "");
/** The choice for the page. */
export const pageX = computed(() => (axis.value === "step" ? chosen.value : axis.value));

const ownText = setting("scalar.axes", "");
/** Choices for sections by their paths, and for charts by their tags. */
export const ownX = computed(() => parsePairs(ownText.value));

/** The x axis of a tag's chart. @param {string} tag @returns {XAxis} */
export function xOf(tag) {
  const own = [...pathsOf(tag), tag].findLast((place) => ownX.value.has(place));
  const choice = own === undefined ? pageX.value : (ownX.value.get(own) ?? "");
  if (choice.startsWith(TAG_AXIS)) return valuesOf(choice.slice(TAG_AXIS.length), tag);
  const kind = kindOf(choice);
  if (kind) return { axis: kind, x: "" };
  return choice === "" ? valuesOf(definedX([{ name: tag, isExpression: false }]), tag) : STEPS;
}

const KINDS = /** @type {const} */ (["relative_step", "relative", "active", "wall_time"]);
/** The kind of axis that a choice names; undefined for steps and tags. @param {XChoice} choice */
const kindOf = (choice) => KINDS.find((kind) => kind === choice);

/** A tag over itself would be a straight line. @param {string} x @param {string} tag @returns {XAxis} */
const valuesOf = (x, tag) => (x && x !== tag ? { axis: "value", x } : STEPS);

/** Ranges are in the unit of the axis, and are reset with it. */
const withoutRanges = () => {
  const { "scalar.range": _, ...own } = view.peek().own;
  return { zooms: {}, own };
};

/** Chooses x for all charts without a choice of their own. @param {XChoice} choice */
export function choosePageX(choice) {
  const { zooms, own } = withoutRanges();
  const kind = kindOf(choice);
  const { "scalar.axis": _, ...others } = own;
  const named = kind || choice === "" ? others : { ...others, "scalar.axis": choice };
  change({ axis: kind ?? "step", zooms, own: named });
}

/** Chooses x for a chart or a section; null = as around it. @param {string} place its tag or path
 * @param {XChoice | null} choice */
export function chooseOwnX(place, choice) {
  const all = new Map(ownX.peek());
  if (choice === null) all.delete(place);
  else all.set(place, choice);
  change(withoutRanges());
  set({ "scalar.axes": printPairs(all) });
}
