// Which tags the runs have, by plugin: asked for when a page needs them, again when runs get more.

import { computed, effect, signal } from "@preact/signals-core";
import { runs } from "./catalogue.js";
import { listTags } from "./listings.js";
import { groupTags } from "./names.js";
import { drawnRuns, tagRule } from "./runs.js";

/** A series of a plugin. @typedef {{run: string, tag: string, points: number, firstStep: number, lastStep: number}} SeriesRow */

/** More runs side by side nobody looks at. */
const MOST_RUNS = 100;

/** Series of the drawn runs of one plugin, kept up to date while somebody reads them. */
export class PluginTags {
  /** null before the first list. @type {import("@preact/signals-core").Signal<SeriesRow[] | null>} */
  rows = signal(null);
  /** @type {import("@preact/signals-core").Signal<Error | null>} */
  error = signal(null);
  /** Drawn runs that have such series and are too many to be listed. */
  leftOut = signal(0);
  #knownFor = "";
  /** @type {AbortController | null} */
  #request = null;

  /** @param {string} plugin */
  constructor(plugin) {
    this.plugin = plugin;
    /** The runs that have each tag, of the drawn ones, in start order. */
    this.runsByTag = computed(() => Map.groupBy(this.rows.value ?? [], (row) => row.tag));
    /** Groups of the tags that the filter keeps. */
    this.groups = computed(() => groupTags([...this.runsByTag.value.keys()].filter((tag) => tagRule.value.keeps(tag))));
  }

  /** Follows the drawn runs until the returned function is called. */
  follow() {
    const end = effect(() => {
      const drawn = new Set(drawnRuns.value);
      const having = runs.value.filter((row) => drawn.has(row.run) && row.plugins[this.plugin]);
      const fingerprint = JSON.stringify(having.map((row) => [row.run, row.plugins[this.plugin]]));
      this.leftOut.value = Math.max(0, having.length - MOST_RUNS);
      if (fingerprint !== this.#knownFor)
        this.#ask(
          having.slice(0, MOST_RUNS).map((row) => row.run),
          fingerprint,
        );
    });
    return () => {
      end();
      if (!this.#request) return;
      this.#request.abort();
      this.#knownFor = "";
    };
  }

  /** @param {string[]} having @param {string} fingerprint */
  async #ask(having, fingerprint) {
    this.#knownFor = fingerprint;
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    try {
      const rows = having.length ? (await listTags([this.plugin], having, request.signal)).tags : [];
      if (request.signal.aborted) return;
      this.rows.value = rows.map(
        ({ run = "", tag, points = 0, first_step: firstStep = 0, last_step: lastStep = 0 }) => ({
          run,
          tag,
          points,
          firstStep,
          lastStep,
        }),
      );
      this.error.value = null;
    } catch (error) {
      if (request.signal.aborted) return;
      this.#knownFor = "";
      this.error.value = /** @type {Error} */ (error);
    } finally {
      if (this.#request === request) this.#request = null;
    }
  }
}
