// One card's series: what was asked, what has come, what must be asked again.

import { signal } from "@preact/signals-core";

/** @typedef {import("./series.js").Series} Series */
/** @typedef {import("./address.js").Window} Window */

/** What a card asks of every run.
 * @typedef {object} Query
 * @property {import("./address.js").Axis} axis
 * @property {string} smooth as the server is asked for it, "" = not
 * @property {Window | null} window
 * @property {"linear" | "log"} scale of the axis, along which points are chosen
 * @property {string} rank "" = the lowest, "all", or a number
 * @property {string} attempt "" = stitched, "all" = each, or a number
 * @property {{how: import("./replies.js").Grouping, runs: readonly string[]} | null} grouped bands of these runs instead of their series
 */

/** Series by run; those of bands by group. @typedef {Map<string, Series[]>} SeriesByRun */
/** Series of one query. @typedef {{key: string, series: SeriesByRun, answered: Set<string>}} Shelf */

/** @param {Query} query */
export const keyOf = (query) => JSON.stringify(query);

/** Remembers the series of one tag: under the query of the moment, and the whole view while zoomed. */
export class Feed {
  /** @param {string} tag */
  constructor(tag) {
    this.tag = tag;
    /** @type {Query} */
    this.query = { axis: "step", smooth: "", window: null, scale: "linear", rank: "", attempt: "", grouped: null };
    this.key = keyOf(this.query);
    /** Drawn series; may still be those of an older query. @type {SeriesByRun} */
    this.series = new Map();
    /** Runs answered under this query since they last changed. @type {Set<string>} */
    this.answered = new Set();
    /** Runs being asked for under this query. @type {Set<string>} */
    this.asking = new Set();
    /** Runs that changed while they were being asked for: the coming answer is already old. @type {Set<string>} */
    this.overtaken = new Set();
    /** The unzoomed series, for the way back. @type {Shelf | null} */
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

  /** @param {Query} query @returns {boolean} is it another query than before? */
  ask(query) {
    const key = keyOf(query);
    if (key === this.key) return false;
    const answeredWhole = this.query.window === null && this.answered.size > 0;
    if (answeredWhole && query.window !== null)
      this.whole = { key: this.key, series: this.series, answered: this.answered };
    this.query = query;
    this.key = key;
    this.asking = new Set();
    this.overtaken = new Set();
    if (this.whole?.key === key) this.takeBack(this.whole);
    else this.leaveForNew();
    return true;
  }

  /** @param {Shelf} whole */
  takeBack(whole) {
    this.series = whole.series;
    this.answered = whole.answered;
    this.whole = null;
    this.version.value++;
  }

  /** The old series stay in sight until the new ones come. */
  leaveForNew() {
    this.series = new Map(this.series);
    this.answered = new Set();
  }

  /** Runs to ask for. A band is made of all its runs: one that is missing asks for all of them.
   * @param {string[]} drawn */
  missing(drawn) {
    const { grouped } = this.query;
    const missing = drawn.filter((run) => !this.answered.has(run) && !this.asking.has(run));
    if (!grouped || !missing.length) return missing;
    return this.asking.size ? [] : [...grouped.runs];
  }

  /** Points were added: ask again, draw the old ones until then.
   * @param {string[] | null} changed null = anything may have changed */
  expire(changed) {
    for (const run of this.asking) if (!changed || changed.includes(run)) this.overtaken.add(run);
    for (const answered of [this.answered, this.whole?.answered]) {
      if (!changed) answered?.clear();
      else for (const run of changed) answered?.delete(run);
    }
  }

  /** @param {string[]} asked @param {Series[]} came @param {number} revision @param {readonly string[]} ungrouped */
  receive(asked, came, revision, ungrouped) {
    const present = Map.groupBy(came, (series) => series.run);
    if (this.query.grouped || this.isBands) this.series = new Map();
    if (this.query.grouped) this.series = present;
    for (const run of asked) {
      this.settle(run);
      if (this.query.grouped) continue;
      const series = present.get(run);
      if (series) this.series.set(run, series);
      else this.series.delete(run);
    }
    this.ungrouped = ungrouped;
    this.revision = revision;
    this.error.value = null;
    this.version.value++;
  }

  /** Are what is drawn bands of groups, not series of runs? */
  get isBands() {
    for (const [first] of this.series.values()) return first.band !== null;
    return false;
  }

  /** An answer came, if only an error: it is not asked for again before the run changes.
   * @param {string} run */
  settle(run) {
    this.asking.delete(run);
    if (!this.overtaken.delete(run)) this.answered.add(run);
  }

  /** @param {string[]} asked @param {Error} error */
  fail(asked, error) {
    for (const run of asked) this.settle(run);
    this.error.value = error;
  }
}
