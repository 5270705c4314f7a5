// Derived from the runs and the view: the order of the run list, the visible runs, their styles.

import { computed } from "@preact/signals-core";
import { valueColours } from "../colours/colour_by.js";
import { customColours } from "../colours/custom_colours.js";
import { styleOf, withCustomColours } from "../colours/run_styles.js";
import { excludedRuns } from "../notes/notes.js";
import { likelyTarget } from "../series/metrics.js";
import { cutLeaf, groupTags } from "../tags/names.js";
import { regexFilter } from "../text/regex_filter.js";
import { parseList, printList } from "../view/address_lists.js";
import { change, page, selection, set, setting, tagFilter, view } from "../view/view.js";
import {
  firstSteps,
  runCounts,
  runNames,
  runs,
  runsByName,
  scalarTags,
  sessionNames,
  stableList,
  startTimes,
} from "./catalogue.js";
import { found, matchesSearch } from "./run_search.js";
import { isShown } from "./selection.js";

const runColours = stableList(() => runs.value.map((row) => row.colour));
const assignedStyles = computed(() => {
  const colours = runColours.value;
  return new Map(runNames.value.map((run, at) => [run, styleOf(colours[at])]));
});

/** Styles by run: by value, or its own, with custom colours. */
export const styles = computed(() => {
  const byValue = valueColours.value?.colours;
  if (byValue) return new Map(runNames.value.map((run, at) => [run, { colour: byValue[at], dash: 0 }]));
  return customColours.value.size ? withCustomColours(assignedStyles.value, customColours.value) : assignedStyles.value;
});

export const tagRule = computed(() => regexFilter(tagFilter.value));

/** The name of a run; for a session, its path and what the server calls it. @param {string} run */
export function sessionPath(run) {
  const name = sessionNames.value.get(run);
  return name ? `${cutLeaf(run)[0]}${name}` : run;
}

/** Names of the runs that match the search, in start order. */
export const matchingRuns = stableList(() =>
  found.value.runs ? runNames.value.filter(matchesSearch.value) : runNames.value,
);

const hasSessions = computed(() => runs.value.some((row) => row.parent !== null));

/** The same, children after their parents. */
export const listedRuns = stableList(() => {
  const kept = matchingRuns.value;
  if (!hasSessions.value) return kept;
  const names = new Set(kept);
  const parentOf = (/** @type {string} */ run) => {
    const parent = runsByName.value.get(run)?.parent ?? null;
    return parent !== null && names.has(parent) ? parent : "";
  };
  const children = Map.groupBy(kept, parentOf);
  return (children.get("") ?? []).flatMap((run) => [run, ...(children.get(run) ?? [])]);
});

/** Names of the visible runs, in start order. Changes only when the names do. */
export const visibleRuns = stableList(() => {
  const chosen = selection.value;
  const excluded = excludedRuns.value;
  if (chosen.mode === "hide" && !chosen.runs.size && !excluded.size) return matchingRuns.value;
  return matchingRuns.value.filter((run) => isShown(chosen, run) && !excluded.has(run));
});

/** Runs that are compared side by side. */
export const MAX_COMPARED = 16;
/** Of more visible runs, the Compare page asks which to compare. */
export const MAX_UNASKED = 8;

const compareList = setting("compare.runs", /** @type {string} */ (""));
/** The runs that were chosen for the Compare page, in that order. */
export const chosenToCompare = stableList(() =>
  parseList(compareList.value).filter((run) => runsByName.value.has(run)),
);

/** The runs of the Compare page: the chosen ones, else the visible ones; none if these are many, as it asks which. */
export const comparedRuns = computed(() => {
  if (chosenToCompare.value.length) return chosenToCompare.value;
  return visibleRuns.value.length > MAX_UNASKED ? NO_RUNS : visibleRuns.value;
});
/** @type {string[]} */
const NO_RUNS = [];

/** Opens the Compare page with some runs. @param {readonly string[]} names none = it asks which */
export function compareRuns(names) {
  set({ "compare.runs": printList(names.slice(0, MAX_COMPARED)) });
  change({ page: "compare" });
}

/** Names of the visible runs; on the Compare page, of the compared ones. */
export const chosenRuns = computed(() => (page.value === "compare" ? comparedRuns.value : visibleRuns.value));

/** Runs that a page draws: more lines cannot be distinguished, and would take seconds. */
export const MAX_DRAWN = 500;

/** Names of the runs that this page draws. */
export const drawnRuns = computed(() =>
  chosenRuns.value.length > MAX_DRAWN ? chosenRuns.value.slice(0, MAX_DRAWN) : chosenRuns.value,
);

/** Wall time at which each run started. */
export const startOf = (/** @type {string} */ run) => startTimes.value.get(run) ?? 0;

/** The wall time, or the step, at which an axis begins for a run; the same rule as the server's.
 * @param {string} run @param {import("../view/address.js").Axis | "value"} axis */
export const axisStart = (run, axis) =>
  axis === "relative" || axis === "active"
    ? startOf(run)
    : axis === "relative_step"
      ? (firstSteps.value.get(run) ?? 0)
      : 0;

/** Groups of the tags that match the filter. */
export const groups = computed(() => groupTags((scalarTags.value ?? []).filter((tag) => tagRule.value.keeps(tag))));

const firstFocus = computed(() => likelyTarget([...runCounts.value].map(([tag, count]) => ({ tag, runs: count }))));
/** The tag whose last value is shown in the run list. */
export const focusTag = computed(() => {
  const chosen = view.value.focus;
  return chosen && (scalarTags.value ?? []).includes(chosen) ? chosen : firstFocus.value;
});
