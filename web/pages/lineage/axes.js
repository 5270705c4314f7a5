// The parallel axes: their scales, spacing and order.

import { computed } from "@preact/signals-core";
import { rgbOf } from "../../charts/rgb.js";
import { axisNames, frameOf, spacingOf } from "../../controls/run_plots/parallel_axes.js";
import { narrow } from "../../data/view/view.js";
import { axesWidth, MIN_SPACING } from "./axes_room.js";
import { lineColours } from "./run_colours.js";
import { choose, setBrush } from "./settings.js";
import { axisIds, columns, liveRows, runs, scaleFor, visibleRows } from "./state.js";

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
  const even = spacingOf(axesWidth.value, axes.value.length);
  return Math.floor(Math.min(MAX_SPACING, Math.max(MIN_SPACING, even)));
});
export const shortNames = computed(() =>
  axisNames(
    axes.value.map(({ column }) => column.name),
    axisSpacing.value,
  ),
);
export const axesFrame = computed(() => frameOf(narrow.value ? NARROW_HEIGHT : HEIGHT, axes.value));
/** The colours of the lines as RGB. */
const colours = computed(() => ({ byRow: lineColours.value.byRow, rgb: lineColours.value.css.map(rgbOf) }));
/** Everything that is drawn. */
export const drawnAxes = computed(() => ({
  scales: axes.value,
  frame: axesFrame.value,
  spacing: axisSpacing.value,
  rows: visibleRows.value,
  kept: liveRows.value,
  colours: colours.value,
  runs: runs.value,
}));

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
