// Which rank and which attempt of its runs a page shows: the lowest rank and the attempts stitched, unless it is told otherwise.

import { computed } from "@preact/signals-core";
import { runsByName } from "./catalogue.js";
import { drawnRuns } from "./runs.js";
import { setting } from "./view.js";

/** The choice of one page, kept in the address, and what there is to choose from. */
export class RankChoice {
  /** @param {string} page its settings are called page.rank and page.attempt @param {string} plugin whose series they choose
   * @param {boolean} [takesAll] can it show several ranks or attempts of a run at once? A listing has one. */
  constructor(page, plugin, takesAll = false) {
    const pattern = takesAll ? /^(all|\d{1,9})$/ : /^\d{1,9}$/;
    const chosen = (/** @type {string} */ name) => {
      const text = setting(`${page}.${name}`, "");
      return computed(() => (pattern.test(text.value) ? text.value : ""));
    };
    const rows = computed(() =>
      drawnRuns.value.flatMap((run) => runsByName.value.get(run) ?? []).filter((row) => row.plugins[plugin]),
    );
    this.page = page;
    this.takesAll = takesAll;
    /** "" = the lowest, "all", or a number. */
    this.rank = chosen("rank");
    /** "" = stitched, "all" = each by itself, or a number from 1. */
    this.attempt = chosen("attempt");
    /** As a listing is asked for them. */
    this.query = computed(() => ({ rank: numberIn(this.rank.value), attempt: numberIn(this.attempt.value) }));
    /** That have such series in some drawn run, ascending; none when no run has several. */
    this.ranks = computed(() => {
      const having = rows.value.map((row) => row.plugin_ranks[plugin] ?? row.ranks);
      return having.some((several) => several.length > 1) ? [...new Set(having.flat())].sort((a, b) => a - b) : [];
    });
    this.attempts = computed(() => {
      const most = rows.value.reduce((largest, row) => Math.max(largest, row.attempts), 1);
      return most > 1 ? Array.from({ length: most }, (_, place) => place + 1) : [];
    });
  }
}

/** @param {string} text */
const numberIn = (text) => (/^\d+$/.test(text) ? Number(text) : undefined);
