// One listing of each compared run, fetched while the page is shown.

import { computed, effect } from "@preact/signals-core";
import { stopAll } from "../../data/client/stop_all.js";
import { comparedRuns } from "../../data/runs/runs.js";
import { Listing } from "../../data/tags/listing.js";

/** @typedef {Partial<import("../../data/tags/listing_client.js").ListingQuery>} Query */

export class PerRun {
  /** @type {Map<string, Listing>} */
  #listings = new Map();
  /** The runs that have such data, with the query of each. */
  #queries = computed(() =>
    comparedRuns.value.flatMap((run) => {
      const query = this.queryOf(run);
      return query ? [{ run, ...query }] : [];
    }),
  );
  /** The newest replies, by run. @type {import("@preact/signals-core").ReadonlySignal<ReadonlyMap<string, any>>} */
  replies = computed(
    () =>
      new Map(
        this.#queries.value.flatMap((query) => {
          const listing = this.#listingOf(query);
          return listing.reply.value && listing.query?.tag === query.tag ? [[query.run, listing.reply.value]] : [];
        }),
      ),
  );
  /** The first error. */
  error = computed(() => this.#queries.value.map((query) => this.#listingOf(query).error.value).find(Boolean) ?? null);

  /** @param {import("../../data/tags/listing_client.js").Kind} kind
   * @param {(run: string) => Query | null} queryOf null = the run has no such data */
  constructor(kind, queryOf) {
    this.kind = kind;
    this.queryOf = queryOf;
  }

  /** Follows the compared runs until the returned function is called. */
  follow() {
    return effect(() => {
      const ends = this.#queries.value.map((query) => {
        const listing = this.#listingOf(query);
        listing.setQuery(query);
        return listing.observe();
      });
      return stopAll(ends);
    });
  }

  /** @param {import("../../data/tags/listing_client.js").ListingQuery} query */
  #listingOf(query) {
    const known = this.#listings.get(query.run) ?? new Listing(this.kind, query);
    this.#listings.set(query.run, known);
    return known;
  }
}
