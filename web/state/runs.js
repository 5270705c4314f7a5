// What follows from runs and view: the rail's order, which runs are drawn, in which style.

import { computed } from "@preact/signals-core";
import { giveStyles, recoloured } from "../lib/colours.js";
import { filterOf } from "../lib/filter.js";
import { isShown } from "../lib/selection.js";
import { groupTags, likelyFocus } from "../lib/tags.js";
import { listed, runs, runsByName, runsHaving, scalarTags } from "./catalogue.js";
import { chosenColours } from "./colours.js";
import { awayRuns } from "./notes.js";
import { runFilter, selection, tagFilter, view } from "./view.js";

/** @typedef {import("../api/replies.js").RunRow} RunRow */

/** @type {Map<string, import("../lib/colours.js").LineStyle>} */
let given = new Map();
let allLoaded = false;

/** Styles by run, as they were given out. Until the server has loaded every run once their order is not known, and
 * styles may change; afterwards they never do. */
const givenStyles = computed(() => {
  given = giveStyles(allLoaded ? new Map(given) : new Map(), runs.value.map((row) => row.run));
  allLoaded ||= listed.value?.loading === false;
  return new Map(given);
});

/** Styles by run, with the colours that users chose. */
export const styles = computed(() => recoloured(givenStyles.value, chosenColours.value));

export const runRule = computed(() => filterOf(runFilter.value));
export const tagRule = computed(() => filterOf(tagFilter.value));

/** Runs the filter keeps, in start order, children beneath their parents. */
export const listedRuns = computed(() => {
  const kept = runs.value.filter((row) => runRule.value.keeps(row.run));
  const names = new Set(kept.map((row) => row.run));
  const children = Map.groupBy(kept, (row) => (row.parent !== null && names.has(row.parent) ? row.parent : ""));
  const withChildren = (/** @type {RunRow} */ row) => [row, ...(children.get(row.run) ?? [])];
  const roots = kept.filter((row) => row.parent === null || !names.has(row.parent));
  return roots.flatMap(withChildren);
});

/** @type {string[]} */
let drawnBefore = [];

/** Names of the runs that are drawn, in start order; told only when they change. */
export const drawnRuns = computed(() => {
  const isDrawn = (/** @type {string} */ run) => runRule.value.keeps(run) && isShown(selection.value, run) && !awayRuns.value.has(run);
  const names = runs.value.map((row) => row.run).filter(isDrawn);
  const same = names.length === drawnBefore.length && names.every((name, index) => name === drawnBefore[index]);
  return same ? drawnBefore : (drawnBefore = names);
});

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
