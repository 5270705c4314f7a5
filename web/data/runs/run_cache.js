// What the server has about each of many runs: fetched in pieces, of each run again when it has changed.

import { computed, signal } from "@preact/signals-core";
import { RequestError } from "../client/client.js";
import { Query } from "../client/query.js";
import { runsByName } from "./catalogue.js";
import { versionOf } from "./run_versions.js";

/** @typedef {import("../client/api_types.js").RunRow} RunRow */

/** Runs of the first request: a short one, so that the first screen is complete soon. */
const RUNS_AT_FIRST = 100;

/** Rows by run, for one set of parameters at a time.
 * @template {{run: string}} Row
 * @template [Parameters=null] */
export class RunCache {
  /** Runs without a row are not in it. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Row>>} */
  rows = signal(new Map());
  /** Has every followed run been fetched, if perhaps not its newest version? */
  isComplete = signal(false);
  /** Of each fetched run, its stamp at that time. @type {Map<string, string | null>} */
  #stamps = new Map();
  /** Fetched, but not published yet. @type {Map<string, Row | undefined>} */
  #unpublished = new Map();
  /** How many rows were published for these parameters. */
  #published = 0;
  /** @type {readonly string[]} */
  #runs = [];
  /** @type {Parameters | null} */
  #parameters = null;
  #rounds = 0;
  #pieces = new Query((_key, signal) => this.#fetchPiece(signal));
  /** A run that was deleted in the meantime is no error. */
  error = computed(() => {
    const error = this.#pieces.error.value;
    return error instanceof RequestError && error.status === 404 ? null : error;
  });

  /** @param {(runs: string[], signal: AbortSignal, parameters: Parameters) => Promise<Row[]>} read
   * @param {number} mostAtOnce runs of a request: parsing a longer reply would block the page
   * @param {(row: RunRow | undefined) => string | null} stamp what a row was fetched for */
  constructor(read, mostAtOnce, stamp = stampOf) {
    this.read = read;
    this.mostAtOnce = mostAtOnce;
    this.stampOf = stamp;
  }

  /** Follows some runs until the returned function is called.
   * @param {() => {runs: readonly string[], query: Parameters}} selection read inside an effect */
  follow(selection) {
    return this.#pieces.observe(() => {
      const { runs, query } = selection();
      this.#forgetDeleted(runsByName.value);
      if (JSON.stringify(query) !== JSON.stringify(this.#parameters)) this.#restart(query);
      this.#runs = runs;
      this.#selectNext();
    });
  }

  /** Other parameters: the rows stay until the new ones arrive. @param {Parameters} parameters */
  #restart(parameters) {
    this.#parameters = parameters;
    this.#stamps.clear();
    this.#unpublished.clear();
    this.#published = 0;
  }

  #staleRuns() {
    const rows = runsByName.peek();
    return this.#runs.filter((run) => rows.has(run) && this.#stamps.get(run) !== this.stampOf(rows.get(run)));
  }

  #selectNext() {
    if (this.#staleRuns().length) this.#pieces.select(JSON.stringify(this.#parameters), String(++this.#rounds));
    else this.#publish();
  }

  /** @param {AbortSignal} signal */
  async #fetchPiece(signal) {
    const stale = this.#staleRuns();
    const piece = stale.slice(0, this.#published ? this.mostAtOnce : RUNS_AT_FIRST);
    if (!piece.length) return;
    const stamps = piece.map((run) => this.stampOf(runsByName.peek().get(run)));
    try {
      const rows = await this.read(piece, signal, /** @type {Parameters} */ (this.#parameters));
      if (signal.aborted) return;
      const byRun = new Map(rows.map((row) => [row.run, row]));
      piece.forEach((run, at) => {
        this.#stamps.set(run, stamps[at]);
        this.#unpublished.set(run, byRun.get(run));
      });
    } catch (error) {
      if (!signal.aborted) this.#publish(); // The next change of any run tries again.
      throw error;
    }
    // Each publication lays out all rows again: doubling their number keeps the sum of that work linear.
    if (piece.length === stale.length || this.#unpublished.size >= this.#published) this.#publish();
    this.#selectNext();
  }

  #publish() {
    if (this.#unpublished.size) {
      const rows = new Map(this.rows.peek());
      for (const [run, row] of this.#unpublished) {
        if (row) rows.set(run, row);
        else rows.delete(run);
      }
      this.#published += this.#unpublished.size;
      this.#unpublished.clear();
      this.rows.value = rows;
    }
    const rows = runsByName.peek();
    this.isComplete.value = this.#runs.every((run) => this.#stamps.has(run) || !rows.has(run));
  }

  /** @param {{has: (run: string) => boolean}} existing */
  #forgetDeleted(existing) {
    for (const run of [...this.#stamps.keys()]) if (!existing.has(run)) this.#stamps.delete(run);
    const rows = this.rows.peek();
    const kept = [...rows].filter(([run]) => existing.has(run));
    if (kept.length < rows.size) this.rows.value = new Map(kept);
  }
}

/** Rows never change: each is formatted once. @type {WeakMap<RunRow, string>} */
const contents = new WeakMap();

/** Changes with a run's data, not with its state, which is part of the list. @param {RunRow | undefined} row */
export function contentOf(row) {
  if (!row) return null;
  const content =
    contents.get(row) ??
    `${row.updated} ${row.last_step} ${row.attempts} ${row.damaged_records} ${JSON.stringify(row.plugins)}`;
  contents.set(row, content);
  return content;
}

/** Changes also if a file is replaced by one of the same steps and times, and with each connection: for few runs.
 * @param {RunRow | undefined} row */
export const stampOf = (row) => (row ? `${versionOf(row.run)} ${contentOf(row)}` : null);
