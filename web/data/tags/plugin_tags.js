// Which tags the drawn runs have, by plugin: fetched while a page needs them, again when runs have more.

import { computed, signal } from "@preact/signals-core";
import { Query } from "../client/query.js";
import { runsByName } from "../runs/catalogue.js";
import { drawnRuns, tagRule } from "../runs/runs.js";
import { listTags } from "./listing_client.js";
import { groupTags } from "./names.js";
import { sectionsOf } from "./sections.js";

/** A series of a plugin.
 * @typedef {{run: string, tag: string, points: number, firstStep: number, lastStep: number}} SeriesRow */

/** Series that are listed: the tags of runs that have more together are not shown. */
const MAX_SERIES = 20_000;

/** Of all plugins whose pages have been opened. @type {import("@preact/signals-core").Signal<PluginTags[]>} */
export const listings = signal([]);

export class PluginTags {
  /** @type {Query<SeriesRow[]>} */
  #query = new Query((key, signal) => this.#read(JSON.parse(key), signal));
  /** null before the first list. */
  rows = this.#query.value;
  error = this.#query.error;
  /** How many drawn runs have such series but are beyond the limit. */
  leftOut = signal(0);

  /** @param {string} plugin @param {(tag: string) => string | null} [nameOf] what a tag is called; null = it is left out */
  constructor(plugin, nameOf = (tag) => tag) {
    this.plugin = plugin;
    this.nameOf = nameOf;
    /** The drawn runs that have each tag, in start order. */
    this.runsByTag = computed(() => Map.groupBy(this.rows.value ?? [], (row) => row.tag));
    /** Groups of the tags that pass the filter. */
    this.groups = computed(() => groupTags([...this.runsByTag.value.keys()].filter((tag) => tagRule.value.keeps(tag))));
    this.sections = computed(() => sectionsOf(this.groups.value));
    listings.value = [...listings.peek(), this];
  }

  /** Follows the drawn runs until the returned function is called. */
  follow() {
    return this.#query.observe(() => {
      const rows = runsByName.value;
      const having = drawnRuns.value.flatMap((run) => {
        const row = rows.get(run);
        return row?.plugins[this.plugin] ? [row] : [];
      });
      const listed = having.slice(0, countWithin(having.map((row) => row.plugins[this.plugin])));
      this.leftOut.value = having.length - listed.length;
      this.#query.select(
        JSON.stringify(listed.map((row) => row.run)),
        listed.map((row) => row.plugins[this.plugin]).join(),
      );
    });
  }

  /** @param {string[]} runs @param {AbortSignal} signal @returns {Promise<SeriesRow[]>} */
  async #read(runs, signal) {
    const { tags } = runs.length ? await listTags([this.plugin], runs, signal) : { tags: [] };
    return tags.flatMap(({ run = "", tag, points = 0, first_step: firstStep = 0, last_step: lastStep = 0 }) => {
      const name = this.nameOf(tag);
      return name === null ? [] : [{ run, tag: name, points, firstStep, lastStep }];
    });
  }
}

/** Returns how many runs are listed: those whose series are within the limit together, at least one.
 * @param {readonly number[]} counts series of each run */
function countWithin(counts) {
  let sum = 0;
  const end = counts.findIndex((count, at) => (sum += count) > MAX_SERIES && at > 0);
  return end < 0 ? counts.length : end;
}
