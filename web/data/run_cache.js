// What the server tells of runs: asked for in pieces while somebody looks, of each run again when it has changed.

import { effect, signal } from "@preact/signals-core";
import { runsByName } from "./catalogue.js";
import { RefusedRequest } from "./client.js";

/** @typedef {import("./replies.js").RunRow} RunRow */

/** Runs of the first request: what is in sight comes soon. */
const RUNS_AT_FIRST = 100;

/** Remembers what was told of runs under one query, and asks for what is missing or has changed.
 * @template {{run: string}} Row
 * @template [Query=null] */
export class ToldRuns {
  /** By run; those with nothing to tell are not in it. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Row>>} */
  told = signal(new Map());
  /** @type {import("@preact/signals-core").Signal<Error | null>} */
  error = signal(null);
  /** Was an answer published for every run that is wanted, if perhaps not the newest? */
  isComplete = signal(false);
  /** Each run's stamp as it was told. @type {Map<string, string | null>} */
  #knownAt = new Map();
  /** Answered, but not published yet. @type {Map<string, Row | undefined>} */
  #waiting = new Map();
  /** How many answers were published under this query. */
  #published = 0;
  /** @type {readonly string[]} */
  #wanted = [];
  /** @type {Query | null} */
  #query = null;
  /** @type {AbortController | null} */
  #request = null;

  /** @param {(runs: string[], signal: AbortSignal, query: Query) => Promise<Row[]>} read runs with nothing to tell have no row
   * @param {number} mostAtOnce runs a request may ask for: a longer reply would hold up the page while it is parsed */
  constructor(read, mostAtOnce) {
    this.read = read;
    this.mostAtOnce = mostAtOnce;
  }

  /** Follows some runs until the returned function is called.
   * @param {() => {runs: readonly string[], query: Query}} wanted read inside an effect */
  follow(wanted) {
    const end = effect(() => {
      const { runs, query } = wanted();
      this.#forgetGone(runsByName.value);
      if (JSON.stringify(query) !== JSON.stringify(this.#query)) this.#begin(query);
      this.#wanted = runs;
      this.#askForMore();
    });
    return () => {
      end();
      this.#stop();
    };
  }

  /** Another query: what was told stays in sight until it is told anew. @param {Query} query */
  #begin(query) {
    this.#stop();
    this.#query = query;
    this.#knownAt.clear();
    this.#waiting.clear();
    this.#published = 0;
  }

  #stop() {
    this.#request?.abort();
    this.#request = null;
  }

  async #askForMore() {
    if (this.#request) return;
    const rows = runsByName.peek();
    const changed = this.#wanted.filter((run) => rows.has(run) && this.#knownAt.get(run) !== stampOf(rows.get(run)));
    if (!changed.length) return this.#publish();
    const asked = changed.slice(0, this.#published ? this.mostAtOnce : RUNS_AT_FIRST);
    const stamps = asked.map((run) => stampOf(rows.get(run)));
    const request = (this.#request = new AbortController());
    const reply = await this.#ask(asked, request.signal);
    if (request.signal.aborted) return;
    this.#request = null;
    if (!reply) return this.#publish(); // The next change of any run asks again.
    const told = new Map(reply.map((row) => [row.run, row]));
    asked.forEach((run, at) => {
      this.#knownAt.set(run, stamps[at]);
      this.#waiting.set(run, told.get(run));
    });
    // The more is known, the more it costs to lay it all out again: as much again is told at once.
    if (asked.length === changed.length || this.#waiting.size >= this.#published) this.#publish();
    this.#askForMore();
  }

  /** Null when it could not be had. @param {string[]} asked @param {AbortSignal} signal */
  async #ask(asked, signal) {
    try {
      const reply = await this.read(asked, signal, /** @type {Query} */ (this.#query));
      if (!signal.aborted) this.error.value = null;
      return reply;
    } catch (error) {
      const isGone = error instanceof RefusedRequest && error.status === 404; // A run that went meanwhile.
      if (!signal.aborted && !isGone) this.error.value = /** @type {Error} */ (error);
      return null;
    }
  }

  #publish() {
    if (this.#waiting.size) {
      const told = new Map(this.told.peek());
      for (const [run, row] of this.#waiting) {
        if (row) told.set(run, row);
        else told.delete(run);
      }
      this.#published += this.#waiting.size;
      this.#waiting.clear();
      this.told.value = told;
    }
    const rows = runsByName.peek();
    this.isComplete.value = this.#wanted.every((run) => this.#knownAt.has(run) || !rows.has(run));
  }

  /** Runs that are gone take what was told of them along. @param {ReadonlyMap<string, unknown>} rows */
  #forgetGone(rows) {
    for (const run of [...this.#knownAt.keys()]) if (!rows.has(run)) this.#knownAt.delete(run);
    const told = this.told.peek();
    const kept = [...told].filter(([run]) => rows.has(run));
    if (kept.length < told.size) this.told.value = new Map(kept);
  }
}

/** Rows do not change: each is put into words once. @type {WeakMap<RunRow, string>} */
const stamps = new WeakMap();

/** What changes whenever something new is to be told of a run. @param {RunRow | undefined} row */
function stampOf(row) {
  if (!row) return null;
  const known =
    stamps.get(row) ??
    `${row.updated} ${row.last_step} ${row.live} ${row.attempts} ${row.damaged_records} ${JSON.stringify(row.plugins)}`;
  stamps.set(row, known);
  return known;
}
