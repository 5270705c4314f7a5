// The order of the runs, the same in the table and in the run list: by any facts, hyperparameters and metrics.

import { computed } from "@preact/signals-core";
import { noteOf } from "../notes/notes.js";
import { bestOf } from "../series/best_values.js";
import { sortedBy, sortingNames, sortingOf, sortRows } from "../text/sorting.js";
import { parseList, printList } from "../view/address_lists.js";
import { set, setting } from "../view/view.js";
import { runsByName } from "./catalogue.js";
import { gravityOf, lastedOf } from "./run_state.js";
import { valuesOf } from "./run_values.js";

/** @typedef {import("../text/value_filter.js").Value} Value */
/** @typedef {import("../client/api_types.js").RunRow} RunRow */

const text = setting("runs.sort", /** @type {string} */ (""));
/** By ids of columns of the table: "name", "duration", "param:lr", "last:loss", "best:accuracy". */
export const sorting = computed(() => sortingOf(parseList(text.value)));
/** @param {string} id @param {boolean} keep the other columns @param {boolean} downFirst */
export const sortBy = (id, keep, downFirst) => setSorting(sortedBy(sorting.peek(), id, keep, downFirst));
/** @param {import("../text/sorting.js").Sorting} by */
export const setSorting = (by) => set({ "runs.sort": printList(sortingNames(by)) });

/** "best:loss" is "min:loss". @param {string} id */
export const statisticId = (id) => (id.startsWith("best:") ? `${bestOf(id.slice(5))}:${id.slice(5)}` : id);
/** The values of metrics and hyperparameters that the order depends on. */
export const sortValues = computed(() => sorting.value.map(({ id }) => statisticId(id)));

/** Facts that the table has columns for. @type {Record<string, (row: RunRow) => Value>} */
const FACTS = {
  name: (row) => noteOf(row.run).alias ?? row.run,
  state: (row) => gravityOf(row.state),
  started: (row) => row.started,
  ended: (row) => row.ended,
  updated: (row) => row.updated,
  duration: lastedOf,
  steps: (row) => row.last_step,
  ranks: (row) => row.ranks.length,
  attempts: (row) => row.attempts,
  labels: (row) => noteOf(row.run).labels.join(", ") || null,
};

/** @param {string} id @returns {(run: string) => Value} */
function readerOf(id) {
  const fact = FACTS[id];
  if (!fact) return valuesOf(statisticId(id));
  return (run) => {
    const row = runsByName.value.get(run);
    return row ? fact(row) : null;
  };
}

/** @param {readonly string[]} runs in start order */
export const sortedRuns = (runs) =>
  sortRows(
    runs,
    sorting.value.map(({ id, down }) => ({ value: readerOf(id), down })),
  );
