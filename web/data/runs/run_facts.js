// The facts about all runs that every page needs: the server sends them as columns, later only of runs that changed.

import { numbersOf } from "../series/series.js";
import { naturalKey } from "../text/natural_order.js";

/** @typedef {import("../client/api_types.js").RunRow} RunRow */
/** @typedef {import("../client/api_types.js").RunColumnsReply} RunColumnsReply */
/** @typedef {import("../client/api_types.js").CodedColumn} CodedColumn */
/** @typedef {import("../client/api_types.js").NumberColumn} NumberColumn */

const NUMBERS = /** @type {const} */ (["started", "updated", "ended", "first_step", "last_step", "colour"]);
const CODED = /** @type {const} */ ([
  "ranks",
  "writers",
  "attempts",
  "dialect",
  "state",
  "phase",
  "error",
  "damaged_records",
  "plugins",
  "plugin_ranks",
  "parent",
  "session_name",
  "stale",
]);
export const FACTS = [...NUMBERS, ...CODED];

/** All runs: oldest first, and by name. `byName` is another object after each change.
 * @typedef {{runs: RunRow[], byName: {get: (run: string) => RunRow | undefined, has: (run: string) => boolean}}} AllRuns */

/** The runs of a page. Only the rows of runs that changed are replaced. */
export class RunFacts {
  /** @type {Map<string, RunRow>} */
  #byName = new Map();
  /** @type {RunRow[]} */
  #runs = [];
  /** @type {AllRuns | null} */
  #all = null;

  /** Whether any run has other series than before the last reply. */
  hasOtherSeries = true;

  /** @param {RunColumnsReply} reply @returns {AllRuns} the same object if nothing has changed */
  receive(reply) {
    const rows = rowsOf(reply, this.#byName);
    const isWhole = reply.since === null;
    if (this.#all && !isWhole && !rows.length) {
      this.hasOtherSeries = false;
      return this.#all;
    }
    this.hasOtherSeries =
      isWhole || rows.some((row) => this.#byName.get(row.run)?.plugins.scalar !== row.plugins.scalar);
    if (isWhole) this.#byName = new Map();
    this.#runs = isWhole ? rows : withChanged(this.#runs, rows, this.#byName);
    for (const row of rows) this.#byName.set(row.run, row);
    const byName = this.#byName;
    this.#all = { runs: this.#runs, byName: { get: (run) => byName.get(run), has: (run) => byName.has(run) } };
    return this.#all;
  }
}

/** @param {string} joined */
export const namesOf = (joined) => (joined ? joined.split("\0") : []);

/** @param {RunColumnsReply} reply @param {ReadonlyMap<string, RunRow>} known @returns {RunRow[]} */
function rowsOf({ runs, fact }, known) {
  const names = namesOf(runs);
  const [started, updated, ended, first, last, colour] = NUMBERS.map((name) =>
    nullable(/** @type {NumberColumn} */ (fact[name]), names.length),
  );
  const [
    ranks,
    writers,
    attempts,
    dialect,
    state,
    phase,
    error,
    damaged,
    plugins,
    pluginRanks,
    parent,
    session,
    stale,
  ] = CODED.map((name) => valuesOf(/** @type {CodedColumn} */ (fact[name])));
  // One literal: objects of one shape are made in a fraction of the time that adding their properties in a loop takes.
  return names.map((name, at) => ({
    run: known.get(name)?.run ?? name,
    started: started[at],
    updated: updated[at],
    ended: ended[at],
    first_step: first[at],
    last_step: last[at],
    colour: colour[at] ?? 0,
    ranks: ranks(at),
    writers: writers(at),
    attempts: attempts(at),
    dialect: dialect(at),
    state: state(at),
    phase: phase(at),
    error: error(at),
    damaged_records: damaged(at),
    plugins: plugins(at),
    plugin_ranks: pluginRanks(at),
    parent: parent(at),
    session_name: session(at),
    stale: stale(at),
  }));
}

/** Returns a function that returns the value of the run at a place, null if it has none. @param {CodedColumn} column
 * @returns {(at: number) => any} */
function valuesOf({ code, value }) {
  const codes = numbersOf(code);
  return (at) => (codes[at] < 0 ? null : value[codes[at]]);
}

/** Numbers, null where a run has none. @param {NumberColumn} column @param {number} count @returns {(number | null)[]} */
function nullable({ row, number }, count) {
  const numbers = Array.from(numbersOf(number));
  if (row === null) return numbers;
  const places = numbersOf(row);
  /** @type {(number | null)[]} */
  const all = new Array(count).fill(null);
  for (let index = 0; index < places.length; index++) all[places[index]] = numbers[index];
  return all;
}

/** Replaces rows, and inserts those of new runs and of runs that start at another time now.
 * @param {RunRow[]} runs oldest first @param {RunRow[]} changed oldest first @param {ReadonlyMap<string, RunRow>} byName */
function withChanged(runs, changed, byName) {
  /** @type {Map<RunRow, RunRow | null>} null = it moves */
  const instead = new Map();
  const inserted = changed.filter((row) => {
    const old = byName.get(row.run);
    if (old) instead.set(old, old.started === row.started ? row : null);
    return old?.started !== row.started;
  });
  /** @type {RunRow[]} */
  const kept = [];
  for (const row of runs) {
    const other = instead.get(row);
    if (other !== null) kept.push(other ?? row);
  }
  return inserted.length ? merged(kept, inserted) : kept;
}

/** @param {RunRow[]} runs @param {RunRow[]} others both oldest first */
function merged(runs, others) {
  /** @type {RunRow[]} */
  const all = [];
  let from = 0;
  for (const row of others) {
    const end = placeOf(row, runs, from);
    for (; from < end; from++) all.push(runs[from]);
    all.push(row);
  }
  for (; from < runs.length; from++) all.push(runs[from]);
  return all;
}

/** Where a row belongs, by bisection: after those that are not younger. @param {RunRow} row @param {RunRow[]} runs
 * @param {number} from */
function placeOf(row, runs, from) {
  let [low, high] = [from, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(row, runs[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** @param {RunRow} a @param {RunRow} b */
function isBefore(a, b) {
  const [startOfA, startOfB] = [a.started ?? Infinity, b.started ?? Infinity];
  return startOfA === startOfB ? naturalKey(a.run) < naturalKey(b.run) : startOfA < startOfB;
}
