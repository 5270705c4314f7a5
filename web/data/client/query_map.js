// Values by key, each fetched again when its stamp changes.

import { computed, signal } from "@preact/signals-core";
import { Query } from "./query.js";

/** @template Value */
export class QueryMap {
  /** @type {import("@preact/signals-core").Signal<ReadonlyMap<string, {query: Query<Value>, stop: () => void}>>} */
  #entries = signal(new Map());
  /** The values that have arrived; a key keeps its value until the next one arrives. */
  values = computed(() => {
    /** @type {Map<string, Value>} */
    const values = new Map();
    for (const [key, { query }] of this.#entries.value)
      if (query.value.value !== null) values.set(key, query.value.value);
    return values;
  });
  /** The error of the first key that has one. */
  error = computed(() => this.#queries.find(({ error }) => error.value)?.error.value ?? null);

  /** @param {(key: string, signal: AbortSignal) => Promise<Value>} fetch */
  constructor(fetch) {
    this.fetch = fetch;
  }

  get #queries() {
    return [...this.#entries.value.values()].map(({ query }) => query);
  }

  /** Fetches these keys and no others.
   * @param {ReadonlyMap<string, string>} stamps by key; a stamp changes with the data */
  follow(stamps) {
    const before = this.#entries.peek();
    for (const [key, { stop }] of before) if (!stamps.has(key)) stop();
    const entries = new Map([...stamps].map(([key]) => [key, before.get(key) ?? this.#start()]));
    for (const [key, stamp] of stamps) entries.get(key)?.query.select(key, stamp);
    if (entries.size !== before.size || [...entries.keys()].some((key) => !before.has(key)))
      this.#entries.value = entries;
  }

  /** Fetches every value again. */
  invalidate() {
    for (const { query } of this.#entries.peek().values()) query.invalidate();
  }

  #start() {
    const query = new Query(this.fetch);
    return { query, stop: query.observe() };
  }
}
