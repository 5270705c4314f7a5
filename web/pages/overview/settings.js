// The settings of the overview page, stored in the URL.

import { computed, signal } from "@preact/signals-core";
import { metrics } from "../../data/runs/run_table.js";
import { parseList, parsePairs, printList, printPairs } from "../../data/view/address_lists.js";
import { change, set, setting, view, withValues } from "../../data/view/view.js";

/** An empty list that was selected: an empty setting means the default. */
const NOTHING = ",";
/** @param {readonly string[]} parts */
const printChosen = (parts) => printList(parts) || NOTHING;

const columnText = setting("over.cols", /** @type {string} */ (""));
/** Ids of the selected columns, in order; null = the default. */
export const chosenColumns = computed(() => (columnText.value ? parseList(columnText.value) : null));
/** @param {readonly string[]} ids */
export const chooseColumns = (ids) => set({ "over.cols": printChosen(ids) });
export const resetColumns = () => set({ "over.cols": "", "over.metrics": "" });

/** @param {string} tag @param {readonly string[]} columns of that metric */
export function toggleMetric(tag, columns) {
  const chosen = metrics.peek();
  const kept = chosen.includes(tag) ? chosen.filter((metric) => metric !== tag) : [...chosen, tag];
  const ids = chosenColumns.peek();
  set({
    "over.metrics": printChosen(kept),
    ...(ids && {
      "over.cols": printChosen(chosen.includes(tag) ? ids.filter((id) => !columns.includes(id)) : [...ids, ...columns]),
    }),
  });
}

const filterText = setting("over.filter", /** @type {string} */ (""));
/** The text of each value filter, by column id. */
export const filters = computed(() => parsePairs(filterText.value));
/** @param {string} id @param {string} text */
export function filterBy(id, text) {
  const all = new Map(filters.peek());
  if (text.trim()) all.set(id, text);
  else all.delete(id);
  set({ "over.filter": printPairs(all) });
}
export const clearFilters = () => set({ "over.filter": "" });
/** Is the filter row open, although it may be empty? */
export const filterRow = signal(false);

/** The run whose page is shown; "" = the table. */
export const openRun = setting("over.run", /** @type {string} */ (""));
/** @param {string} run */
export const showRun = (run) => change({ page: "overview", own: withValues(view.peek().own, { "over.run": run }) });

/** The run whose console a panel of a workspace shows; "" = the first one. */
export const consoleRun = setting("console.run", /** @type {string} */ (""));
/** The text that the lines of the shown console contain. */
export const consoleSearch = setting("console.find", /** @type {string} */ (""));
const follow = setting("console.follow", "", ["", "off"]);
/** Does the console scroll to new lines? */
export const followsConsole = computed(() => follow.value === "");
