// What runs were trained with: asked for in pieces while somebody looks, of each run again when it has changed.

import { computed, effect, signal } from "@preact/signals-core";
import { RefusedRequest } from "../api/client.js";
import { readImportance, readLineages, readPipelines } from "../api/lineage.js";
import { runs, runsByName } from "./catalogue.js";
import { RunFacts } from "./overview.js";

/** @typedef {import("../api/replies.js").RunRow} RunRow */

/** Runs of the first request: what is in sight comes soon. */
const RUNS_AT_FIRST = 100;
/** Runs a request may ask for: a longer reply would hold up the page while it is parsed. */
const RUNS_AT_ONCE = 400;

/** Remembers what was told of runs, and asks for what is missing or has changed.
 * @template {{run: string}} Row */
class ToldRuns {
  /** By run; those with nothing to tell are not in it. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Row>>} */
  told = signal(new Map());
  /** @type {import("@preact/signals-core").Signal<Error | null>} */
  error = signal(null);
  /** Has every run been asked for? */
  isComplete = signal(false);
  /** Each run's stamp as it was told. @type {Map<string, string>} */
  #knownAt = new Map();
  /** Told, but not published yet. @type {Map<string, Row | undefined>} */
  #waiting = new Map();
  /** @type {AbortController | null} */
  #request = null;

  /** @param {(runs: string[], signal: AbortSignal) => Promise<Row[]>} read */
  constructor(read) {
    this.read = read;
  }

  /** Follows some runs until the returned function is called. @param {() => string[]} wanted read inside an effect */
  follow(wanted) {
    const end = effect(() => {
      const names = wanted();
      this.#forgetGone(runsByName.value);
      this.wanted = names;
      this.#askForMore();
    });
    return () => {
      end();
      this.#request?.abort();
      this.#request = null;
    };
  }

  async #askForMore() {
    if (this.#request) return;
    const rows = runsByName.peek();
    const changed = (this.wanted ?? []).filter((run) => rows.has(run) && this.#knownAt.get(run) !== stampOf(rows.get(run)));
    if (!changed.length) return this.#publish(true);
    const asked = changed.slice(0, this.#knownAt.size ? RUNS_AT_ONCE : RUNS_AT_FIRST);
    const stamps = asked.map((run) => stampOf(rows.get(run)));
    const request = (this.#request = new AbortController());
    try {
      const told = new Map((await this.read(asked, request.signal)).map((row) => [row.run, row]));
      if (request.signal.aborted) return;
      asked.forEach((run, at) => {
        this.#knownAt.set(run, stamps[at]);
        this.#waiting.set(run, told.get(run));
      });
      this.error.value = null;
    } catch (error) {
      if (request.signal.aborted) return;
      this.#request = null;
      const isGone = error instanceof RefusedRequest && error.status === 404; // A run that went meanwhile.
      if (!isGone) this.error.value = /** @type {Error} */ (error);
      return this.#publish(false); // The next change of any run asks again.
    }
    this.#request = null;
    // The more is known, the more it costs to lay it all out again: as much again is told at once.
    if (asked.length === changed.length || this.#waiting.size >= this.told.peek().size) this.#publish(asked.length === changed.length);
    this.#askForMore();
  }

  /** @param {boolean} isComplete */
  #publish(isComplete) {
    if (this.#waiting.size) {
      const told = new Map(this.told.peek());
      for (const [run, row] of this.#waiting) {
        if (row) told.set(run, row);
        else told.delete(run);
      }
      this.#waiting.clear();
      this.told.value = told;
    }
    this.isComplete.value = isComplete;
  }

  /** @param {ReadonlyMap<string, unknown>} rows */
  #forgetGone(rows) {
    const gone = [...this.#knownAt.keys()].filter((run) => !rows.has(run));
    if (!gone.length) return;
    for (const run of gone) this.#knownAt.delete(run);
    const told = this.told.peek();
    if (gone.some((run) => told.has(run))) this.told.value = new Map([...told].filter(([run]) => rows.has(run)));
  }
}

/** Rows do not change: each is put into words once. @type {WeakMap<RunRow, string>} */
const stamps = new WeakMap();

/** What changes whenever something new is to be told of a run. @param {RunRow | undefined} row */
function stampOf(row) {
  if (!row) return "";
  const known = stamps.get(row) ?? `${row.updated} ${row.last_step} ${row.live} ${JSON.stringify(row.plugins)}`;
  stamps.set(row, known);
  return known;
}

/** Runs that are hyperparameter sessions of another one are part of that one's row. */
export const wholeRuns = computed(() => runs.value.filter((row) => row.parent === null).map((row) => row.run));

/** @type {ToldRuns<import("../api/lineage.js").RunLineage>} */
export const lineages = new ToldRuns(readLineages);
/** @type {ToldRuns<import("../api/lineage.js").RunPipeline>} */
export const pipelines = new ToldRuns(readPipelines);
/** The last values of metrics, which are columns too. */
export const lastScalars = new RunFacts();

/** @typedef {{metric: string, source: import("../api/lineage.js").MetricSource, runs: string[], stamp: string}} ImportanceQuery stamp: changes with the data */

/** Changed data is measured again at most this often, in milliseconds. */
const INTERVAL = 5000;

/** How much each hyperparameter matters for a metric. */
class AskedImportance {
  /** Null until it is known. @type {import("@preact/signals-core").Signal<import("../api/lineage.js").Importance | null>} */
  reply = signal(null);
  /** @type {import("@preact/signals-core").Signal<Error | null>} */
  error = signal(null);
  /** @type {ImportanceQuery | null} */
  #wanted = null;
  /** What the reply answers. */
  #asked = "";
  #askedAt = -Infinity;
  #timer = 0;
  /** @type {AbortController | null} */
  #request = null;

  /** Asks until the returned function is called. @param {() => ImportanceQuery | null} wanted read inside an effect */
  follow(wanted) {
    const end = effect(() => {
      const query = wanted();
      if (query?.metric !== this.#wanted?.metric || query?.source !== this.#wanted?.source) this.#begin();
      this.#wanted = query;
      this.#askSoon();
    });
    return () => {
      end();
      if (this.#request) this.#asked = "";
      this.#stop();
    };
  }

  /** Another metric: nothing is known of it. */
  #begin() {
    this.#stop();
    this.#asked = "";
    this.#askedAt = -Infinity;
    [this.reply.value, this.error.value] = [null, null];
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#request?.abort();
    this.#request = null;
  }

  #askSoon() {
    if (!this.#wanted || this.#request || this.#timer || JSON.stringify(this.#wanted) === this.#asked) return;
    this.#timer = window.setTimeout(() => this.#ask(), Math.max(0, this.#askedAt + INTERVAL - performance.now()));
  }

  async #ask() {
    this.#timer = 0;
    const query = this.#wanted;
    if (!query) return;
    const request = (this.#request = new AbortController());
    this.#askedAt = performance.now();
    this.#asked = JSON.stringify(query);
    try {
      const reply = await readImportance(query.metric, query.source, query.runs, request.signal);
      if (!request.signal.aborted) [this.reply.value, this.error.value] = [reply, null];
    } catch (error) {
      if (!request.signal.aborted) [this.reply.value, this.error.value] = [null, /** @type {Error} */ (error)];
    }
    if (request.signal.aborted) return;
    this.#request = null;
    this.#askSoon();
  }
}

export const importance = new AskedImportance();
