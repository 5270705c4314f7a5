// The rank and attempt that a page shows: by default the lowest rank and stitched attempts.

import { computed } from "@preact/signals-core";
import { setting } from "../view/view.js";
import { runsByName } from "./catalogue.js";
import { drawnRuns } from "./runs.js";

/** The selection of one page, stored in the URL, and its options. */
export class RankChoice {
  /** @param {string} page the prefix of its settings, page.rank and page.attempt @param {string} plugin of the series
   * @param {boolean} [allowsAll] can the page show all ranks or attempts of a run together? A listing contains one. */
  constructor(page, plugin, allowsAll = false) {
    const pattern = allowsAll ? /^(all|\d{1,9})$/ : /^\d{1,9}$/;
    const chosen = (/** @type {string} */ name) => {
      const text = setting(`${page}.${name}`, /** @type {string} */ (""));
      return computed(() => (pattern.test(text.value) ? text.value : ""));
    };
    const rows = computed(() =>
      drawnRuns.value.flatMap((run) => runsByName.value.get(run) ?? []).filter((row) => row.plugins[plugin]),
    );
    this.page = page;
    this.allowsAll = allowsAll;
    /** "" = the lowest, "all", or a number. */
    this.rank = chosen("rank");
    /** "" = stitched, "all" = separately, or a number from 1. */
    this.attempt = chosen("attempt");
    /** As parameters of a listing. */
    this.query = computed(() => ({ rank: numberIn(this.rank.value), attempt: numberIn(this.attempt.value) }));
    /** The ranks with such series in a drawn run, ascending; empty if no run has several. */
    this.ranks = computed(() => {
      const having = rows.value.map((row) => row.plugin_ranks[plugin] ?? row.ranks);
      return having.some((ranks) => ranks.length > 1) ? [...new Set(having.flat())].sort((a, b) => a - b) : [];
    });
    /** Whether the numbers are those of writers, in every drawn run with several. */
    this.areWriters = computed(() => {
      const several = rows.value.filter((row) => row.ranks.length > 1);
      return several.length > 0 && several.every((row) => row.writers > 0);
    });
    this.attempts = computed(() => {
      const most = rows.value.reduce((largest, row) => Math.max(largest, row.attempts), 1);
      return most > 1 ? Array.from({ length: most }, (_, place) => place + 1) : [];
    });
  }
}

/** @param {string} text */
const numberIn = (text) => (/^\d+$/.test(text) ? Number(text) : undefined);
