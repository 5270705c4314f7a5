// Derived from the runs and the view: the order of the run list, the visible runs, their styles.

import { computed } from "@preact/signals-core";
import { runCounts, runs, runsReply, scalarTags, sessionNames, startTimes } from "./catalogue.js";
import { customColours } from "./custom_colours.js";
import { cutLeaf, groupTags, likelyFocus } from "./names.js";
import { excludedRuns, notes } from "./notes.js";
import { regexFilter } from "./regex_filter.js";
import { assignStyles, withCustomColours } from "./run_styles.js";
import { isShown } from "./selection.js";
import { page, runFilter, selection, tagFilter, view } from "./view.js";

/** @typedef {import("./api_types.js").RunRow} RunRow */

/** @type {Map<string, import("./run_styles.js").LineStyle>} */
let assigned = new Map();
let allLoaded = false;

/** Assigned styles by run. They may change until the server has loaded every run once, because the start order is not
 * known before; afterwards they never change. */
const assignedStyles = computed(() => {
  const names = runs.value.map((row) => row.run);
  if (!allLoaded) assigned = assignStyles(new Map(), names);
  else if (names.some((run) => !assigned.has(run))) assigned = assignStyles(new Map(assigned), names);
  allLoaded ||= runsReply.value?.loading === false;
  return assigned;
});

/** Styles by run, with custom colours. */
export const styles = computed(() =>
  customColours.value.size ? withCustomColours(assignedStyles.value, customColours.value) : assignedStyles.value,
);

export const runRule = computed(() => regexFilter(runFilter.value));
export const tagRule = computed(() => regexFilter(tagFilter.value));

/** The name of a run; for a session, its path and what the server calls it. @param {string} run */
export function sessionPath(run) {
  const name = sessionNames.value.get(run);
  return name ? `${cutLeaf(run)[0]}${name}` : run;
}

/** Does a run match the run filter, by its name, its alias or as a session? */
export const matchesRunFilter = computed(() => {
  const { keeps } = runRule.value;
  const notesByRun = notes.value;
  return (/** @type {string} */ run) => keeps(run) || keeps(notesByRun.get(run)?.alias ?? sessionPath(run));
});

/** Runs that match the filter, in start order, children after their parents. */
export const listedRuns = computed(() => {
  const kept = runs.value.filter((row) => matchesRunFilter.value(row.run));
  const names = new Set(kept.map((row) => row.run));
  const children = Map.groupBy(kept, (row) => (row.parent !== null && names.has(row.parent) ? row.parent : ""));
  const withChildren = (/** @type {RunRow} */ row) => [row, ...(children.get(row.run) ?? [])];
  const roots = kept.filter((row) => row.parent === null || !names.has(row.parent));
  return roots.flatMap(withChildren);
});

/** @type {string[]} */
let visibleBefore = [];

/** Names of the visible runs, in start order. Changes only when the names do. */
export const visibleRuns = computed(() => {
  const isVisible = (/** @type {string} */ run) =>
    matchesRunFilter.value(run) && isShown(selection.value, run) && !excludedRuns.value.has(run);
  const names = runs.value.map((row) => row.run).filter(isVisible);
  const same = names.length === visibleBefore.length && names.every((name, index) => name === visibleBefore[index]);
  return same ? visibleBefore : (visibleBefore = names);
});

/** Runs that are compared side by side. */
const MOST_COMPARED = 8;

/** The first of them, which the Compare page shows. */
export const comparedRuns = computed(() =>
  visibleRuns.value.length > MOST_COMPARED ? visibleRuns.value.slice(0, MOST_COMPARED) : visibleRuns.value,
);

/** Names of the runs that this page draws. */
export const drawnRuns = computed(() => (page.value === "compare" ? comparedRuns.value : visibleRuns.value));

/** Wall time at which each run started. */
export const startOf = (/** @type {string} */ run) => startTimes.value.get(run) ?? 0;

/** Groups of the tags that match the filter. */
export const groups = computed(() => groupTags((scalarTags.value ?? []).filter((tag) => tagRule.value.keeps(tag))));

const firstFocus = computed(() => likelyFocus(scalarTags.value ?? [], runCounts.value));
/** The tag whose last value is shown in the run list. */
export const focusTag = computed(() => {
  const chosen = view.value.focus;
  return chosen && (scalarTags.value ?? []).includes(chosen) ? chosen : firstFocus.value;
});
