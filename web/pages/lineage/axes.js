// The parallel axes: their scales, spacing and order.

import { computed } from "@preact/signals-core";
import { frameOf } from "../../controls/run_plots/parallel_axes.js";
import { shortened } from "../../data/runs/short_names.js";
import { narrow } from "../../data/view/view.js";
import { axesWidth, LEFT_MARGIN, MIN_SPACING, RIGHT_MARGIN } from "./axes_room.js";
import { choose, setBrush } from "./settings.js";
import { axisIds, columns, scaleFor } from "./state.js";

/** @typedef {import("../../controls/run_plots/scale.js").Scale} Scale */

const HEIGHT = 256;
const NARROW_HEIGHT = 220;
const MAX_SPACING = 480;

/** @type {import("@preact/signals-core").ReadonlySignal<Scale[]>} */
export const axes = computed(() =>
  axisIds.value.flatMap((id) => {
    const column = columns.value.get(id);
    return column ? [scaleFor(column)] : [];
  }),
);
export const axisSpacing = computed(() => {
  const even = (axesWidth.value - LEFT_MARGIN - RIGHT_MARGIN) / Math.max(1, axes.value.length - 1);
  return Math.floor(Math.min(MAX_SPACING, Math.max(MIN_SPACING, even)));
});
/** Between a name and its neighbours, in pixels. */
const BESIDE_NAME = 16;
const LETTER = 7;
/** What the axes are called in the room that each has. */
export const axisNames = computed(() =>
  shortened(
    axes.value.map(({ column }) => column.name),
    Math.floor((axisSpacing.value - BESIDE_NAME) / LETTER),
  ),
);
export const axesFrame = computed(() =>
  frameOf(
    narrow.value ? NARROW_HEIGHT : HEIGHT,
    axes.value.some(({ column }) => column.hasNonFinite),
    axes.value.some(({ column }) => column.hasMissing),
  ),
);

/** @param {string} id @param {number} to its new place among the axes */
export function moveAxis(id, to) {
  const others = axisIds.peek().filter((other) => other !== id);
  const at = Math.max(0, Math.min(others.length, to));
  choose("axes", [...others.slice(0, at), id, ...others.slice(at)]);
}
/** Removes an axis together with its brush. @param {string} id */
export function removeAxis(id) {
  setBrush(id, null);
  choose(
    "axes",
    axisIds.peek().filter((other) => other !== id),
  );
}
