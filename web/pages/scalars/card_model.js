// What a card requests and how it draws it: the settings of the page and of its tag.

import { computed } from "@preact/signals-core";
import { gathered } from "../../data/groups/run_grouping.js";
import { groupsOf } from "../../data/groups/run_groups.js";
import { drawnRuns } from "../../data/runs/runs.js";
import { rangeOf, yRanges } from "../../data/series/ranges.js";
import {
  attempt,
  bands,
  best,
  isAutomatic,
  isLogY,
  isWhole,
  limits,
  logXChosen,
  outliers,
  rank,
  rawStyle,
  smoothing,
} from "../../data/series/scalar_view.js";
import { xOf } from "../../data/series/x_axis.js";

/** @typedef {import("../../charts/ticks.js").Axis} Axis */

/** The drawn runs, and those of each group; null while runs are not grouped. */
const drawnBands = computed(() => {
  if (!bands.value || !groupsOf.value) return null;
  const { groups } = gathered(drawnRuns.value, groupsOf.value);
  return { how: { ...bands.value, groups: Object.fromEntries(groups) }, runs: drawnRuns.value };
});

/** @param {string} card its tag @param {Axis} axis @returns {import("../../data/series/card_series.js").Query} */
export const queryFor = (card, axis) => ({
  axis: axis === "value" ? "step" : axis,
  ...(axis === "value" && { x: xOf(card).x, join: "last" }),
  smooth: bands.value && isAutomatic.value ? "" : smoothing.value,
  window: rangeOf(card, axis),
  scale: isLogX(axis) ? "log" : "linear",
  rank: rank.value,
  attempt: attempt.value,
  grouped: drawnBands.value,
});

/** Wall times have no meaningful logarithm.
 * @param {Axis} axis */
const isLogX = (axis) => logXChosen.value && axis !== "wall_time";

/** @param {string} card its tag @param {Axis} axis @returns {import("../../controls/lines/line_plot.js").PlotSettings} */
export const plotSettings = (card, axis) => ({
  axis,
  window: rangeOf(card, axis),
  y: yRanges.value.get(card),
  log: isLogY(card),
  logX: isLogX(axis),
  isSmooth: smoothing.value !== "",
  raw: rawStyle.value,
  best: best.value,
  isRobust: outliers.value === "ignored" && !isWhole(card),
  limits: limits.value.get(card) ?? [],
  rank: rank.value,
});
