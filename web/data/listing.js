// Listings of series with payloads: asked for while somebody looks, again when their run changes, a few at once.

import { signal } from "@preact/signals-core";
import { addressOf, readListing } from "./listings.js";

/** @typedef {import("./listings.js").Kind} Kind */
/** @typedef {import("./listings.js").ListingQuery} ListingQuery */

const REQUESTS_AT_ONCE = 4;

/** Changes are counted: a listing nobody looks at learns of those it has missed when somebody does. */
let changes = 0;
let allChangedAt = 0;
/** @type {Map<string, number>} */
const changedAt = new Map();

/** Those somebody looks at, in the order they came. @type {Set<Listing>} */
const inSight = new Set();
let underWay = 0;

/** Remembers one series' listing. `reply` stays what it was while a newer one is under way. */
export class Listing {
  /** @type {import("@preact/signals-core").Signal<any>} */
  reply = signal(null);
  /** @type {import("@preact/signals-core").Signal<Error | null>} */
  error = signal(null);
  isStale = true;
  #looks = 0;
  #readAt = 0;
  #address = "";
  /** @type {AbortController | null} */
  #request = null;

  /** @param {Kind} kind @param {ListingQuery} query */
  constructor(kind, query) {
    this.kind = kind;
    this.ask(query);
  }

  /** Asks for other points of the series; the old ones stay in sight until they come.
   * @param {ListingQuery} query */
  ask(query) {
    const address = addressOf(this.kind, query);
    if (address === this.#address) return;
    this.query = query;
    this.#address = address;
    this.#request?.abort();
    this.expire();
  }

  /** Begins to look; the returned function ends it. */
  look() {
    this.#looks++;
    inSight.add(this);
    if (Math.max(allChangedAt, changedAt.get(this.query?.run ?? "") ?? 0) > this.#readAt) this.isStale = true;
    startSome();
    return () => {
      if (--this.#looks) return;
      inSight.delete(this);
      this.#request?.abort();
    };
  }

  /** The series has changed: ask again, if somebody looks, once the answer under way has come. */
  expire() {
    this.isStale = true;
    startSome();
  }

  get isAsking() {
    return this.#request !== null;
  }

  async read() {
    const request = new AbortController();
    this.#request = request;
    this.isStale = false;
    this.#readAt = changes;
    underWay++;
    try {
      this.reply.value = await readListing(this.#address, request.signal);
      this.error.value = null;
    } catch (error) {
      if (request.signal.aborted) this.isStale = true;
      else this.error.value = /** @type {Error} */ (error);
    } finally {
      if (this.#request === request) this.#request = null;
      underWay--;
      startSome();
    }
  }
}

let scheduled = false;

/** Starts what has room once the current turn of the page is over. */
function startSome() {
  if (scheduled) return;
  scheduled = true;
  queueMicrotask(() => {
    scheduled = false;
    for (const listing of inSight) {
      if (underWay >= REQUESTS_AT_ONCE) return;
      if (listing.isStale && !listing.isAsking) listing.read();
    }
  });
}

/** @param {string[] | null} changed runs with new points, null = any */
export function expireListings(changed) {
  changes++;
  if (!changed) allChangedAt = changes;
  for (const run of changed ?? []) changedAt.set(run, changes);
  for (const listing of inSight) if (!changed || changed.includes(listing.query?.run ?? "")) listing.expire();
}
