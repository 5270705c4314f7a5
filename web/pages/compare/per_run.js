// What the server lists of each compared run, asked for while the page is shown.

import { computed, effect } from "@preact/signals-core";
import { Listing } from "../../data/listing.js";
import { comparedRuns } from "../../data/runs.js";

/** @typedef {Partial<import("../../data/listings.js").ListingQuery>} Query */

export class PerRun {
  /** @type {Map<string, Listing>} */
  #listings = new Map();
  /** The runs that are asked about, with the query of each. */
  #asked = computed(() =>
    comparedRuns.value.flatMap((run) => {
      const query = this.queryOf(run);
      return query ? [{ run, ...query }] : [];
    }),
  );
  /** What has come, by run. @type {import("@preact/signals-core").ReadonlySignal<ReadonlyMap<string, any>>} */
  replies = computed(
    () =>
      new Map(
        this.#asked.value.flatMap((query) => {
          const listing = this.#listingOf(query);
          return listing.reply.value && listing.query?.tag === query.tag ? [[query.run, listing.reply.value]] : [];
        }),
      ),
  );
  /** Why something could not be had. */
  error = computed(() => this.#asked.value.map((query) => this.#listingOf(query).error.value).find(Boolean) ?? null);

  /** @param {import("../../data/listings.js").Kind} kind @param {(run: string) => Query | null} queryOf null: nothing is asked of this run */
  constructor(kind, queryOf) {
    this.kind = kind;
    this.queryOf = queryOf;
  }

  /** Follows the compared runs until the returned function is called. */
  follow() {
    return effect(() => {
      const ends = this.#asked.value.map((query) => {
        const listing = this.#listingOf(query);
        listing.ask(query);
        return listing.look();
      });
      return () => ends.forEach((end) => end());
    });
  }

  /** @param {import("../../data/listings.js").ListingQuery} query */
  #listingOf(query) {
    const known = this.#listings.get(query.run) ?? new Listing(this.kind, query);
    this.#listings.set(query.run, known);
    return known;
  }
}
