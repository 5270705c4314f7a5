// The axes that are drawn side by side: their scales, and where they stand.

import { computed, signal } from "@preact/signals-core";
import { narrow } from "../../data/view.js";
import { frameOf } from "./draw/parallel_axes.js";
import { axisIds, columns, scaleFor } from "./rows.js";
import { brush, choose } from "./settings.js";

/** @typedef {import("./model/scale.js").Scale} Scale */

const HEIGHT = 256;
const NARROW_HEIGHT = 220;
/** Room beside the first axis and behind the last one, where its labels stand. */
export const BEFORE = 48;
export const BEHIND = 76;
const LEAST_SPACING = 112;
const MOST_SPACING = 480;

/** Width of the drawing that is in sight. */
export const axesWidth = signal(0);

/** @type {import("@preact/signals-core").ReadonlySignal<Scale[]>} */
export const axes = computed(() =>
  axisIds.value.flatMap((id) => {
    const column = columns.value.get(id);
    return column ? [scaleFor(column)] : [];
  }),
);
export const spacing = computed(() => {
  const even = (axesWidth.value - BEFORE - BEHIND) / Math.max(1, axes.value.length - 1);
  return Math.floor(Math.min(MOST_SPACING, Math.max(LEAST_SPACING, even)));
});
export const frame = computed(() =>
  frameOf(
    narrow.value ? NARROW_HEIGHT : HEIGHT,
    axes.value.some(({ column }) => column.hasNonFinite),
    axes.value.some(({ column }) => column.hasMissing),
  ),
);

/** @param {string} id @param {number} to its new place among the axes */
export function moveAxis(id, to) {
  const others = axisIds.peek().filter((one) => one !== id);
  const at = Math.max(0, Math.min(others.length, to));
  choose("axes", [...others.slice(0, at), id, ...others.slice(at)]);
}
/** Its brush goes with it: none works unseen. @param {string} id */
export function removeAxis(id) {
  brush(id, null);
  choose(
    "axes",
    axisIds.peek().filter((one) => one !== id),
  );
}
