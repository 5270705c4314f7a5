// The list of runs and of scalar tags, as the server last sent them.

import { computed, signal } from "@preact/signals-core";
import { listScalarTags, readRunColumns } from "../client/client.js";
import { Query } from "../client/query.js";
import { noteDirections } from "../series/directions.js";
import { withoutOnlySessions } from "./only_sessions.js";
import { FACTS, RunFacts } from "./run_facts.js";

/** @typedef {import("../client/api_types.js").RunRow} RunRow */
/** What is known of the logdir and its runs.
 * @typedef {Omit<import("../client/api_types.js").RunColumnsReply, "runs" | "fact"> & import("./run_facts.js").AllRuns} RunList */

/** The list is fetched at most this often, in milliseconds; cards are not delayed. */
const INTERVAL = 300;
/** With more runs it is fetched less often: each change lays out the list again. */
const RUNS_PER_MILLISECOND = 50;

/** All scalar tags; null before the first list. @type {import("@preact/signals-core").Signal<string[] | null>} */
export const scalarTags = signal(null);
/** How many runs have each of them. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, number>>} */
export const runCounts = signal(new Map());

/** @type {Query<RunList>} */
export const runList = new Query((_key, signal) => readCatalogue(signal), { interval: INTERVAL });
runList.select("runs");
/** The last list of runs; null before the first. */
export const runsReply = runList.value;
/** Why the last request failed. */
export const listError = runList.error;

/** @type {RunRow[]} */
const NO_RUNS = [];
/** @type {RunList["byName"]} */
const NONE_BY_NAME = new Map();
/** Oldest first, without the sessions that describe other runs. */
export const runs = computed(() => withoutOnlySessions(runsReply.value?.runs ?? NO_RUNS));
export const runsByName = computed(() => runsReply.value?.byName ?? NONE_BY_NAME);

/** A signal of a list that changes only when its elements do.
 * @template Element
 * @param {() => Element[]} compute @returns {import("@preact/signals-core").ReadonlySignal<Element[]>} */
export function stableList(compute) {
  /** @type {Element[]} */
  let before = [];
  return computed(() => {
    const list = compute();
    if (list === before) return before;
    const isSame = list.length === before.length && list.every((element, at) => element === before[at]);
    return isSame ? before : (before = list);
  });
}

/** The names of all runs, in start order. */
export const runNames = stableList(() => runs.value.map((row) => row.run));

/** One fact of each run; changes only when one of them does, so that no card is drawn again needlessly.
 * @template {number | string} Fact
 * @param {(row: RunRow) => Fact} factOf
 * @returns {import("@preact/signals-core").ReadonlySignal<{get: (run: string) => Fact | undefined}>} */
function factByRun(factOf) {
  const facts = stableList(() => runs.value.map(factOf));
  return computed(() => {
    facts.value;
    runNames.value;
    return {
      get: (run) => {
        const row = runsByName.peek().get(run);
        return row && factOf(row);
      },
    };
  });
}

export const firstSteps = factByRun((row) => row.first_step ?? 0);
export const startTimes = factByRun((row) => row.started ?? 0);
export const rankCounts = factByRun((row) => row.ranks.length);
export const attemptCounts = factByRun((row) => row.attempts);
export const writerCounts = factByRun((row) => row.writers);
/** Names in place of the last part of a run's; "" for most runs. */
export const sessionNames = factByRun((row) => row.session_name ?? "");

const facts = new RunFacts();
/** Has any run other tags than when they were fetched? */
let areTagsStale = true;

/** Tags are published before the runs that have them. @param {AbortSignal} signal @returns {Promise<RunList>} */
async function readCatalogue(signal) {
  const before = runsReply.peek();
  const reply = await readRunColumns({ fact: FACTS, since: before?.revision ?? null }, signal);
  // Nothing is lost if this request is aborted from here on: the next one asks for changes since the published list.
  const { runs, byName } = facts.receive(reply);
  runList.interval = Math.max(INTERVAL, runs.length / RUNS_PER_MILLISECOND);
  areTagsStale ||= facts.hasOtherSeries;
  if (areTagsStale) await readTags(signal);
  return { ...reply, runs, byName };
}

/** @param {AbortSignal} signal */
async function readTags(signal) {
  const rows = (await listScalarTags(signal)).tags;
  if (signal.aborted) return;
  areTagsStale = false;
  noteDirections(rows.flatMap(({ tag, direction }) => (direction ? [/** @type {const} */ ([tag, direction])] : [])));
  runCounts.value = new Map(rows.map((row) => [row.tag, row.runs]));
  publishTags(rows.map((row) => row.tag));
}

/** The signal changes only when the tags do, so that no card is drawn again needlessly.
 * @param {string[]} tags */
function publishTags(tags) {
  const before = scalarTags.peek();
  if (before && before.length === tags.length && tags.every((tag, index) => tag === before[index])) return;
  scalarTags.value = tags;
}
