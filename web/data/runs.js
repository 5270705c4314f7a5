// What follows from runs and view: the rail's order, which runs are drawn, in which style.

import { computed } from "@preact/signals-core";
import { listed, runs, runsByName, runsHaving, scalarTags } from "./catalogue.js";
import { chosenColours } from "./chosen_colours.js";
import { groupTags, likelyFocus } from "./names.js";
import { awayRuns, notes } from "./notes.js";
import { filterOf } from "./regex_filter.js";
import { giveStyles, recoloured } from "./run_styles.js";
import { isShown } from "./selection.js";
import { page, runFilter, selection, tagFilter, view } from "./view.js";

/** @typedef {import("./replies.js").RunRow} RunRow */

/** @type {Map<string, import("./run_styles.js").LineStyle>} */
let given = new Map();
let allLoaded = false;

/** Styles by run, as they were given out. Until the server has loaded every run once their order is not known, and
 * styles may change; afterwards they never do. */
const givenStyles = computed(() => {
  const names = runs.value.map((row) => row.run);
  if (!allLoaded) given = giveStyles(new Map(), names);
  else if (names.some((run) => !given.has(run))) given = giveStyles(new Map(given), names);
  allLoaded ||= listed.value?.loading === false;
  return given;
});

/** Styles by run, with the colours that users chose. */
export const styles = computed(() =>
  chosenColours.value.size ? recoloured(givenStyles.value, chosenColours.value) : givenStyles.value,
);

export const runRule = computed(() => filterOf(runFilter.value));
export const tagRule = computed(() => filterOf(tagFilter.value));

/** Does the filter keep a run, by its name or its alias? */
export const keepsRun = computed(() => {
  const { keeps } = runRule.value;
  const said = notes.value;
  return (/** @type {string} */ run) => keeps(run) || keeps(said.get(run)?.alias ?? run);
});

/** Runs the filter keeps, in start order, children beneath their parents. */
export const listedRuns = computed(() => {
  const kept = runs.value.filter((row) => keepsRun.value(row.run));
  const names = new Set(kept.map((row) => row.run));
  const children = Map.groupBy(kept, (row) => (row.parent !== null && names.has(row.parent) ? row.parent : ""));
  const withChildren = (/** @type {RunRow} */ row) => [row, ...(children.get(row.run) ?? [])];
  const roots = kept.filter((row) => row.parent === null || !names.has(row.parent));
  return roots.flatMap(withChildren);
});

/** @type {string[]} */
let chosenBefore = [];

/** Names of the runs that are switched on, in start order; told only when they change. */
export const chosenRuns = computed(() => {
  const isChosen = (/** @type {string} */ run) =>
    keepsRun.value(run) && isShown(selection.value, run) && !awayRuns.value.has(run);
  const names = runs.value.map((row) => row.run).filter(isChosen);
  const same = names.length === chosenBefore.length && names.every((name, index) => name === chosenBefore[index]);
  return same ? chosenBefore : (chosenBefore = names);
});

/** More runs do not fit beside each other. */
const MOST_COMPARED = 8;

/** The first of them: those that the comparison sets side by side. */
export const comparedRuns = computed(() =>
  chosenRuns.value.length > MOST_COMPARED ? chosenRuns.value.slice(0, MOST_COMPARED) : chosenRuns.value,
);

/** Names of the runs that this page draws. */
export const drawnRuns = computed(() => (page.value === "compare" ? comparedRuns.value : chosenRuns.value));

/** Wall time at which each run started. */
export const startOf = (/** @type {string} */ run) => runsByName.value.get(run)?.started ?? 0;

/** Groups of the tags the filter keeps. */
export const groups = computed(() => groupTags((scalarTags.value ?? []).filter((tag) => tagRule.value.keeps(tag))));

const firstFocus = computed(() => likelyFocus(scalarTags.value ?? [], runsHaving.value));
/** The tag whose last value stands in the run list. */
export const focusTag = computed(() => {
  const chosen = view.value.focus;
  return chosen && (scalarTags.value ?? []).includes(chosen) ? chosen : firstFocus.value;
});
