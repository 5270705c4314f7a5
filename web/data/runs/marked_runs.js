// The runs that the next action applies to. They are marked by checkboxes, clicks and keys, and are not part of the URL.

import { computed, signal } from "@preact/signals-core";
import { runNames } from "./catalogue.js";
import { rangeOf, withRuns } from "./run_ranges.js";
import { matchesSearch } from "./run_search.js";

/** @type {import("@preact/signals-core").Signal<ReadonlySet<string>>} */
export const marked = signal(new Set());
/** Are the checkboxes of the run list shown, although no run is marked? */
export const isMarking = signal(false);
/** The run that was marked last: a range begins there. */
let anchor = "";

/** The marked runs that exist, oldest first. */
export const markedRuns = computed(() =>
  marked.value.size ? runNames.value.filter((run) => marked.value.has(run)) : NO_RUNS,
);
/** @type {string[]} */
const NO_RUNS = [];

/** How many of them do not match the search. */
export const markedElsewhere = computed(() => {
  const matches = matchesSearch.value;
  return markedRuns.value.reduce((count, run) => count + (matches(run) ? 0 : 1), 0);
});

/** @param {string} run */
export function toggleMark(run) {
  anchor = run;
  marked.value = withRuns(marked.peek(), [run], !marked.peek().has(run));
}

/** Marks the runs between the one that was marked last and another one. @param {readonly string[]} names in the order
 * of the list @param {string} run */
export function markRange(names, run) {
  const range = rangeOf(names, anchor, run);
  if (!names.includes(anchor)) anchor = run;
  marked.value = withRuns(marked.peek(), range, true);
}

/** @param {readonly string[]} names @param {boolean} isOn */
export const markAll = (names, isOn) => void (marked.value = withRuns(marked.peek(), names, isOn));

export function unmarkAll() {
  anchor = "";
  isMarking.value = false;
  if (marked.peek().size) marked.value = new Set();
}
