// The table of runs: asked for in pieces while somebody looks, of each run again when it has changed.

import { computed, effect, signal } from "@preact/signals-core";
import { RefusedRequest } from "../api/client.js";
import { readOverview } from "../api/overview.js";
import { parseList } from "../lib/lists.js";
import { likelyMetrics } from "../lib/metrics.js";
import { runsByName, runsHaving, scalarTags } from "./catalogue.js";
import { setting, view } from "./view.js";

/** @typedef {import("../api/overview.js").OverviewRun} OverviewRun */
/** @typedef {import("../api/replies.js").RunRow} RunRow */
/** @typedef {import("../lib/sparkline.js").SparklinePoints} SparklinePoints */

/** Runs a request may ask for: a longer reply would hold up the page while it is parsed. */
const RUNS_AT_ONCE = 1000;
/** Runs of the first request: what is in sight comes soon. */
const RUNS_AT_FIRST = 100;
/** Metrics that are shown when nobody has chosen any. */
const USUAL_METRICS = 2;

const metricList = setting("over.metrics", /** @type {string} */ (""));
/** The tags whose last and best values are columns; told only when they change. */
export const metrics = computed(() => chosenMetrics.value.split("\n").filter(Boolean));
const chosenMetrics = computed(() => {
  if (metricList.value) {
    const tags = new Set(scalarTags.value);
    return parseList(metricList.value).filter((tag) => tags.has(tag)).join("\n");
  }
  return likelyMetrics([...runsHaving.value].map(([tag, count]) => ({ tag, runs: count })), focus.value, USUAL_METRICS).join("\n");
});
const focus = computed(() => view.value.focus);

/** What one request asks of its runs; `sparkline` and `environment` are left out where nobody sees them.
 * @typedef {{metric: string[], sparkline: boolean, environment: boolean}} Query */

/** Remembers what was told of runs under one query, and asks for what is missing or has changed. */
export class RunFacts {
  /** By run. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, OverviewRun>>} */
  told = signal(new Map());
  /** @type {import("@preact/signals-core").Signal<Error | null>} */
  error = signal(null);
  /** Each run's stamp as it was told. @type {Map<string, string | null>} */
  #knownAt = new Map();
  /** Told, but not published yet. @type {OverviewRun[]} */
  #waiting = [];
  /** How many were published under this query. */
  #published = 0;
  /** @type {Query} */
  #query = { metric: [], sparkline: false, environment: false };
  /** @type {string[]} */
  #wanted = [];
  /** @type {AbortController | null} */
  #request = null;

  /** Follows some runs until the returned function is called.
   * @param {() => {runs: string[], query: Query}} wanted read inside an effect */
  follow(wanted) {
    const end = effect(() => {
      const { runs: names, query } = wanted();
      this.#forgetGone(runsByName.value);
      if (JSON.stringify(query) !== JSON.stringify(this.#query)) this.#begin(query);
      this.#wanted = names;
      this.#askForMore();
    });
    return () => {
      end();
      this.#request?.abort();
      this.#request = null;
    };
  }

  /** Another query: what was told stays in sight until it is told anew. @param {Query} query */
  #begin(query) {
    this.#query = query;
    this.#knownAt.clear();
    this.#waiting = [];
    this.#published = 0;
    this.#request?.abort();
    this.#request = null;
  }

  async #askForMore() {
    if (this.#request) return;
    const rows = runsByName.peek();
    const changed = this.#wanted.filter((run) => rows.has(run) && this.#knownAt.get(run) !== stampOf(rows.get(run)));
    if (!changed.length) return this.#publish();
    const asked = changed.slice(0, this.#published ? RUNS_AT_ONCE : RUNS_AT_FIRST);
    const stamps = asked.map((run) => stampOf(rows.get(run)));
    const request = (this.#request = new AbortController());
    const reply = await this.#read(asked, request.signal);
    if (request.signal.aborted) return;
    this.#request = null;
    if (!reply) return this.#publish(); // The next change of any run asks again.
    asked.forEach((run, at) => this.#knownAt.set(run, stamps[at]));
    this.#waiting.push(...reply);
    // The more is known, the more it costs to sort and count it all again: as much again is told at once.
    if (asked.length === changed.length || this.#waiting.length >= this.#published) this.#publish();
    this.#askForMore();
  }

  /** Null when it could not be had.
   * @param {string[]} asked @param {AbortSignal} signal */
  async #read(asked, signal) {
    try {
      const reply = await readOverview({ run: asked, ...this.#query }, signal);
      this.error.value = null;
      return reply.runs;
    } catch (error) {
      const isGone = error instanceof RefusedRequest && error.status === 404; // A run that went meanwhile.
      if (!signal.aborted && !isGone) this.error.value = /** @type {Error} */ (error);
      return null;
    }
  }

  #publish() {
    if (!this.#waiting.length) return;
    const told = new Map(this.told.peek());
    for (const row of this.#waiting) told.set(row.run, row);
    this.#published += this.#waiting.length;
    this.#waiting = [];
    this.told.value = told;
  }

  /** Runs that are gone take what was told of them along.
   * @param {ReadonlyMap<string, unknown>} rows */
  #forgetGone(rows) {
    const told = this.told.peek();
    const gone = [...told.keys()].filter((run) => !rows.has(run));
    if (!gone.length) return;
    for (const run of gone) this.#knownAt.delete(run);
    this.told.value = new Map([...told].filter(([run]) => rows.has(run)));
  }
}

/** Rows do not change: each is put into words once. @type {WeakMap<RunRow, string>} */
const stamps = new WeakMap();

/** What changes whenever something new is to be told of a run.
 * @param {RunRow | undefined} row */
function stampOf(row) {
  if (!row) return null;
  const known = stamps.get(row) ?? `${row.updated} ${row.last_step} ${row.live} ${row.attempts} ${row.damaged_records} ${JSON.stringify(row.plugins)}`;
  stamps.set(row, known);
  return known;
}

/** Of every run: what the table is sorted, filtered and grouped by. */
export const tableFacts = new RunFacts();
/** Of the runs in sight: their sparklines. */
export const sparklineFacts = new RunFacts();
/** Of the one or few runs that are looked at closely: everything. */
export const closeFacts = new RunFacts();
