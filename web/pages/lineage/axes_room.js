// The room for the parallel axes: their width, and how many fit.

import { computed, signal } from "@preact/signals-core";
import { LEFT_MARGIN, RIGHT_MARGIN } from "../../controls/run_plots/parallel_axes.js";

export const MIN_SPACING = 112;
/** Narrow pages scroll. */
const FEWEST_AXES = 10;

/** The visible width of the drawing. */
export const axesWidth = signal(0);

/** The number of axes by default, including the target. */
export const axesThatFit = computed(() =>
  Math.max(FEWEST_AXES, 1 + Math.floor((axesWidth.value - LEFT_MARGIN - RIGHT_MARGIN) / MIN_SPACING)),
);
