// One value of the server: fetched while it is observed, again when its data has changed, never twice at a time.

import { batch, effect, signal } from "@preact/signals-core";
import { RequestQueue, startRequest } from "./requests.js";

const unbounded = new RequestQueue(Infinity);

/** Fetches the value of a key. The value stays until the next one arrives; an error stays until the key or its data
 * changes.
 * @template Value */
export class Query {
  /** The newest value; null before the first. @type {import("@preact/signals-core").Signal<Value | null>} */
  value = signal(null);
  /** Why the last request failed. @type {import("@preact/signals-core").Signal<Error | null>} */
  error = signal(null);
  /** @type {string | null} */
  #key = null;
  #stamp = "";
  #invalidations = 0;
  /** The version that the value or the error belongs to. */
  #fetched = "";
  #startedAt = -Infinity;
  #observers = 0;
  /** Ends the request that is under way, queued or delayed. @type {(() => void) | null} */
  #cancel = null;

  /** @param {(key: string, signal: AbortSignal) => Promise<Value>} fetch
   * @param {{queue?: RequestQueue, interval?: number}} [options] interval: least milliseconds between two requests for
   * one key */
  constructor(fetch, { queue = unbounded, interval = 0 } = {}) {
    this.fetch = fetch;
    this.queue = queue;
    this.interval = interval;
  }

  /** Selects what is fetched: another key aborts the request under way, another stamp of the same key lets it finish
   * first.
   * @param {string | null} key null = nothing @param {string} [stamp] changes with the data */
  select(key, stamp = "") {
    if (key !== this.#key) {
      this.#stop();
      this.#startedAt = -Infinity;
      this.error.value = null;
    }
    this.#key = key;
    this.#stamp = stamp;
    this.#fetchIfStale();
  }

  /** The data has changed, or an error is to be tried again. */
  invalidate() {
    this.#invalidations++;
    this.#fetchIfStale();
  }

  /** Fetches until the returned function is called, or longer if there are other observers.
   * @param {() => void} [select] calls `select`, and runs in an effect while the query is observed */
  observe(select = () => {}) {
    const end = effect(select);
    this.#observers++;
    this.#fetchIfStale();
    return () => {
      end();
      if (--this.#observers === 0) this.#stop();
    };
  }

  get #version() {
    return `${this.#invalidations} ${this.#stamp} ${this.#key}`;
  }

  #stop() {
    this.#cancel?.();
    this.#cancel = null;
  }

  #fetchIfStale() {
    if (!this.#observers || this.#key === null || this.#cancel || this.#fetched === this.#version) return;
    const start = () => this.#start();
    const enqueue = () => this.queue.add(start);
    const delay = this.#startedAt + this.interval - performance.now();
    const timer = delay > 0 ? setTimeout(enqueue, delay) : undefined;
    if (timer === undefined) enqueue();
    this.#cancel = () => {
      clearTimeout(timer);
      this.queue.remove(start);
    };
  }

  #start() {
    const version = this.#version;
    const key = /** @type {string} */ (this.#key);
    this.#startedAt = performance.now();
    const finish = (/** @type {() => void} */ publish) => {
      this.#fetched = version;
      this.#cancel = null;
      batch(publish);
      this.#fetchIfStale();
    };
    const { done, abort } = startRequest((signal) => this.fetch(key, signal), {
      loaded: (value) => finish(() => ([this.value.value, this.error.value] = [value, null])),
      failed: (error) => finish(() => (this.error.value = error)),
    });
    this.#cancel = abort;
    return done;
  }
}
