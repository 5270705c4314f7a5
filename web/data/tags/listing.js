// The listing of one series with payloads: fetched while it is observed, again when its run changes.

import { Query } from "../client/query.js";
import { RequestQueue } from "../client/requests.js";
import { changes, versionOf } from "../runs/run_versions.js";
import { readListing, urlOf } from "./listing_client.js";

/** @typedef {import("./listing_client.js").Kind} Kind */
/** @typedef {import("./listing_client.js").ListingQuery} ListingQuery */

const REQUESTS_AT_ONCE = 4;
const queue = new RequestQueue(REQUESTS_AT_ONCE);

export class Listing {
  /** @type {Query<any>} */
  #query = new Query(readListing, { queue });
  /** The newest reply; after `setQuery` the old one until the new one arrives. */
  reply = this.#query.value;
  error = this.#query.error;

  /** @param {Kind} kind @param {ListingQuery} query */
  constructor(kind, query) {
    this.kind = kind;
    this.query = query;
  }

  /** Selects other points of the series. @param {ListingQuery} query */
  setQuery(query) {
    this.query = query;
    this.#select();
  }

  /** Fetches until the returned function is called. */
  observe() {
    return this.#query.observe(() => {
      changes.value;
      this.#select();
    });
  }

  retry() {
    this.#query.invalidate();
  }

  #select() {
    this.#query.select(urlOf(this.kind, this.query), String(versionOf(this.query.run)));
  }
}
