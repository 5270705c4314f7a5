// The list of runs and of scalar tags, as the server last sent them.

import { computed, signal } from "@preact/signals-core";
import { listRuns, listScalarTags } from "./client.js";
import { Query } from "./query.js";

/** @typedef {import("./api_types.js").RunRow} RunRow */
/** @typedef {import("./api_types.js").RunsReply} RunsReply */

/** The list is fetched at most this often, in milliseconds; cards are not delayed. */
const INTERVAL = 300;

/** All scalar tags; null before the first list. @type {import("@preact/signals-core").Signal<string[] | null>} */
export const scalarTags = signal(null);
/** How many runs have each of them. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, number>>} */
export const runCounts = signal(new Map());

/** @type {Query<RunsReply>} */
export const runList = new Query((_key, signal) => readCatalogue(signal), { interval: INTERVAL });
runList.select("runs");
/** The last list of runs; null before the first. */
export const runsReply = runList.value;
/** Why the last request failed. */
export const listError = runList.error;

export const runs = computed(() => runsReply.value?.runs ?? []);
export const runsByName = computed(() => new Map(runs.value.map((row) => [row.run, row])));

/** One fact of each run; changes only when one of them does, so that no card is drawn again needlessly.
 * @template {number | string} Fact
 * @param {(row: RunRow) => Fact} factOf @returns {import("@preact/signals-core").ReadonlySignal<Map<string, Fact>>} */
function factByRun(factOf) {
  /** @type {Map<string, Fact>} */
  let before = new Map();
  return computed(() => {
    const facts = new Map(runs.value.map((row) => [row.run, factOf(row)]));
    const isSame = facts.size === before.size && [...facts].every(([run, fact]) => before.get(run) === fact);
    return isSame ? before : (before = facts);
  });
}

export const startTimes = factByRun((row) => row.started ?? 0);
export const rankCounts = factByRun((row) => row.ranks.length);
export const attemptCounts = factByRun((row) => row.attempts);
export const writerCounts = factByRun((row) => row.writers);
/** Names in place of the last part of a run's; "" for most runs. */
export const sessionNames = factByRun((row) => row.session_name ?? "");

/** The runs, and how many scalars each had, when the tags were fetched. */
let tagsFetchedFor = "";

/** Tags are published before the runs that have them. @param {AbortSignal} signal */
async function readCatalogue(signal) {
  const reply = await listRuns(signal);
  const fingerprint = reply.runs.map((row) => `${row.run}\0${row.plugins.scalar ?? 0}`).join("\n");
  if (fingerprint !== tagsFetchedFor || scalarTags.peek() === null) {
    const rows = (await listScalarTags(signal)).tags;
    if (!signal.aborted) {
      runCounts.value = new Map(rows.map((row) => [row.tag, row.runs]));
      publishTags(rows.map((row) => row.tag));
      tagsFetchedFor = fingerprint;
    }
  }
  return reply;
}

/** The signal changes only when the tags do, so that no card is drawn again needlessly.
 * @param {string[]} tags */
function publishTags(tags) {
  const before = scalarTags.peek();
  if (before && before.length === tags.length && tags.every((tag, index) => tag === before[index])) return;
  scalarTags.value = tags;
}
