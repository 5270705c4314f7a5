// The series of one tag of a card, and which of them are missing or stale.

import { signal } from "@preact/signals-core";
import { versionOf } from "../runs/run_versions.js";

/** @typedef {import("./series.js").Series} Series */
/** @typedef {import("../view/address.js").Window} Window */

/** What a card requests of every run.
 * @typedef {object} Query
 * @property {import("../view/address.js").Axis} axis
 * @property {string} smooth the server's parameter, "" = none
 * @property {Window | null} window
 * @property {"linear" | "log"} scale of the axis along which points are selected
 * @property {string} rank "" = the lowest, "all", or a number
 * @property {string} attempt "" = stitched, "all" = separately, or a number
 * @property {{how: import("../client/api_types.js").Grouping, runs: readonly string[]} | null} grouped bands of these runs
 * instead of their series
 * @property {string} [x] a tag whose values are x
 * @property {"equal" | "last"} [join] how operands of expressions are joined
 * @property {"step" | "second"} [rate] the unit of rate()
 */

/** Series by run; those of bands by group. @typedef {Map<string, Series[]>} SeriesByRun */
/** Series of one query. `fetched` has each fetched run's version.
 * @typedef {{key: string, series: SeriesByRun, fetched: Map<string, number>}} Snapshot */

/** @param {Query} query */
const keyOf = (query) => JSON.stringify(query);

/** Contains the series of the current query and, while zoomed, those of the whole range. */
export class Feed {
  /** @param {string} tag or an expression of tags @param {boolean} [isExpression] */
  constructor(tag, isExpression = false) {
    this.tag = tag;
    this.isExpression = isExpression;
    /** The runs to fetch; null = the drawn ones. @type {readonly string[] | null} */
    this.runs = null;
    /** @type {Query} */
    this.query = { axis: "step", smooth: "", window: null, scale: "linear", rank: "", attempt: "", grouped: null };
    this.key = keyOf(this.query);
    /** The drawn series: those of the last query until the first reply to the current one. @type {SeriesByRun} */
    this.series = new Map();
    /** The version of each run that was fetched under the current query. @type {Map<string, number>} */
    this.fetched = new Map();
    /** Runs being fetched under the current query. @type {Set<string>} */
    this.pending = new Set();
    /** The series of the whole range, to return to. @type {Snapshot | null} */
    this.whole = null;
    /** Runs that belong to no group, while bands are drawn. @type {readonly string[]} */
    this.ungrouped = [];
    /** Grows with every change of `series`. */
    this.version = signal(0);
    /** The revision of the last reply. */
    this.revision = 0;
    /** @type {import("@preact/signals-core").Signal<Error | null>} */
    this.error = signal(null);
  }

  /** @param {Query} query @returns {boolean} is it a different query? */
  setQuery(query) {
    const key = keyOf(query);
    if (key === this.key) return false;
    if (this.query.window === null && query.window !== null && this.fetched.size)
      this.whole = { key: this.key, series: this.series, fetched: this.fetched };
    this.query = query;
    this.key = key;
    this.pending = new Set();
    if (this.whole?.key === key) this.#restore(this.whole);
    else [this.series, this.fetched] = [new Map(this.series), new Map()];
    return true;
  }

  /** @param {Snapshot} whole */
  #restore({ series, fetched }) {
    [this.series, this.fetched, this.whole] = [series, fetched, null];
    this.version.value++;
  }

  /** The runs to fetch. A band needs all its runs: if one is missing, all are fetched.
   * @param {readonly string[]} drawn */
  missing(drawn) {
    const { grouped } = this.query;
    const missing = (this.runs ?? drawn).filter(
      (run) => this.fetched.get(run) !== versionOf(run) && !this.pending.has(run),
    );
    if (!grouped || !missing.length) return missing;
    return this.pending.size ? [] : [...grouped.runs];
  }

  /** The series of some runs that were fetched under the current query.
   * @param {readonly string[]} runs @returns {Series[]} */
  held(runs) {
    if (this.isBands) return [];
    return runs.flatMap((run) => (this.fetched.has(run) && this.series.get(run)) || []);
  }

  /** All series will be fetched again, in full. */
  invalidate() {
    this.fetched.clear();
  }

  /** @param {readonly string[]} runs that are being fetched */
  begin(runs) {
    for (const run of runs) this.pending.add(run);
  }

  /** @param {readonly string[]} runs whose request was aborted */
  cancel(runs) {
    for (const run of runs) this.pending.delete(run);
  }

  /** @param {readonly string[]} runs @param {readonly number[]} versions of the runs when they were requested
   * @param {Series[]} received @param {number} revision @param {readonly string[]} ungrouped */
  receive(runs, versions, received, revision, ungrouped) {
    const byRun = Map.groupBy(received, (series) => series.run);
    if (this.query.grouped || this.isBands) this.series = new Map();
    if (this.query.grouped) this.series = byRun;
    else
      for (const run of runs) {
        const series = byRun.get(run);
        if (series) this.series.set(run, series);
        else this.series.delete(run);
      }
    this.#finish(runs, versions);
    this.ungrouped = ungrouped;
    this.revision = revision;
    this.error.value = null;
    this.version.value++;
  }

  /** Failed runs are not requested again before they change.
   * @param {readonly string[]} runs @param {readonly number[]} versions @param {Error} error */
  fail(runs, versions, error) {
    this.#finish(runs, versions);
    this.error.value = error;
  }

  /** @param {readonly string[]} runs @param {readonly number[]} versions */
  #finish(runs, versions) {
    runs.forEach((run, place) => {
      this.pending.delete(run);
      this.fetched.set(run, versions[place]);
    });
  }

  /** Are bands of groups drawn instead of series of runs? */
  get isBands() {
    for (const [first] of this.series.values()) return first.band !== null;
    return false;
  }
}
