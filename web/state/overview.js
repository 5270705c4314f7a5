// The table of runs: asked for in pieces while somebody looks, of each run again when it has changed.

import { computed, effect, signal } from "@preact/signals-core";
import { RefusedRequest } from "../api/client.js";
import { listTags } from "../api/listings.js";
import { readOverview } from "../api/overview.js";
import { parseList } from "../lib/lists.js";
import { likelyMetrics } from "../lib/metrics.js";
import { runs, runsByName, scalarTags } from "./catalogue.js";
import { setting, view } from "./view.js";

/** @typedef {import("../api/overview.js").OverviewRun} OverviewRun */
/** @typedef {import("../lib/sparkline.js").SparklinePoints} SparklinePoints */

/** Runs a request may ask for: a longer reply would hold up the page while it is parsed. */
const RUNS_AT_ONCE = 1000;
/** Metrics that are shown when nobody has chosen any. */
const USUAL_METRICS = 2;

const metricList = setting("over.metrics", /** @type {string} */ (""));
/** The tags whose last and best values are columns; told only when they change. */
export const metrics = computed(() => chosenMetrics.value.split("\n").filter(Boolean));
const chosenMetrics = computed(() => {
  const tags = scalarTags.value ?? [];
  const chosen = parseList(metricList.value).filter((tag) => tags.includes(tag));
  return (metricList.value ? chosen : likelyMetrics(tagCounts.value, view.value.focus, USUAL_METRICS)).join("\n");
});

/** Of each scalar tag how many runs have it. @type {import("@preact/signals-core").Signal<{tag: string, runs: number}[]>} */
const tagCounts = signal([]);

/** Counts again whenever there are other tags, until the returned function is called. */
export const followTagCounts = () =>
  effect(() => {
    if (!scalarTags.value) return;
    listTags(["scalar"]).then(({ tags }) => (tagCounts.value = tags), () => {}); // Without counts no metric is chosen unasked.
  });

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
      runs.value;
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
    this.#request?.abort();
    this.#request = null;
  }

  async #askForMore() {
    if (this.#request) return;
    const rows = runsByName.peek();
    const changed = this.#wanted.filter((run) => rows.has(run) && this.#knownAt.get(run) !== stampOf(rows.get(run)));
    if (!changed.length) return;
    const asked = changed.slice(0, RUNS_AT_ONCE);
    const stamps = asked.map((run) => stampOf(rows.get(run)));
    const request = (this.#request = new AbortController());
    const reply = await this.#read(asked, request.signal);
    if (request.signal.aborted) return;
    this.#request = null;
    if (!reply) return; // The next change of any run asks again.
    asked.forEach((run, at) => this.#knownAt.set(run, stamps[at]));
    this.#publish(reply);
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

  /** @param {OverviewRun[]} rows */
  #publish(rows) {
    const told = new Map(this.told.peek());
    for (const row of rows) told.set(row.run, row);
    this.told.value = told;
  }
}

/** What changes whenever something new is to be told of a run.
 * @param {import("../api/replies.js").RunRow | undefined} row */
const stampOf = (row) => (row ? `${row.updated} ${row.last_step} ${row.live} ${row.attempts} ${JSON.stringify(row.plugins)}` : null);

/** Of every run: what the table is sorted, filtered and grouped by. */
export const tableFacts = new RunFacts();
/** Of the runs in sight: their sparklines. */
export const sparklineFacts = new RunFacts();
/** Of the one or few runs that are looked at closely: everything. */
export const closeFacts = new RunFacts();
