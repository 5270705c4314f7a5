// The runs that match the search. The server evaluates it, and again whenever runs or their notes change.

import { computed } from "@preact/signals-core";
import { fetchJson } from "../client/client.js";
import { Query } from "../client/query.js";
import { runFilter } from "../view/view.js";
import { runsReply } from "./catalogue.js";
import { namesOf } from "./run_facts.js";
import { changes } from "./run_versions.js";

/** @typedef {object} Found
 * @property {ReadonlySet<string> | null} runs null = every run
 * @property {readonly string[]} unknown names in the search that no run has
 * @property {boolean} namesHidden whether the search asks for hidden or archived runs
 */

/** A search is repeated at most this often, in milliseconds, while runs change. */
const INTERVAL = 500;
/** @type {Found} */
const EVERY_RUN = { runs: null, unknown: [], namesHidden: false };
/** @type {Found} */
const NOTHING_YET = { ...EVERY_RUN, runs: new Set() };

/** @type {Query<Found & {search: string}>} */
const query = new Query(readFound, { interval: INTERVAL });
const search = computed(() => runFilter.value.trim());

/** Why the search is invalid, or could not be evaluated. */
export const searchError = computed(() => (search.value ? query.error.value : null));

let last = NOTHING_YET;
/** What the search found; while it is invalid or not evaluated yet, what the last valid one did. */
export const found = computed(() => {
  const reply = query.value.value;
  if (!search.value || (searchError.value && last === NOTHING_YET)) last = EVERY_RUN;
  else if (reply?.search === search.value) last = reply;
  return last;
});

/** Does the search ask for hidden or archived runs? */
export const searchNamesHidden = computed(() => found.value.namesHidden);

/** Is it known which runs the search finds? */
export const isSearched = computed(() => found.value !== NOTHING_YET);

/** Does a run match the search? */
export const matchesSearch = computed(() => {
  const { runs } = found.value;
  return (/** @type {string} */ run) => !runs || runs.has(run);
});

/** Evaluates the search of the view until the returned function is called. */
export const followSearch = () =>
  query.observe(() => query.select(search.value || null, `${runsReply.value?.revision} ${changes.value}`));

/** @param {string} text @param {AbortSignal} signal @returns {Promise<Found & {search: string}>} */
async function readFound(text, signal) {
  const reply = await fetchJson(`runs/search?${new URLSearchParams({ search: text })}`, { signal });
  return {
    search: text,
    runs: new Set(namesOf(reply.runs)),
    unknown: reply.unknown,
    namesHidden: reply.names_hidden,
  };
}
