// How much each hyperparameter matters for a metric: asked for while somebody looks, again when the data changes.

import { effect, signal } from "@preact/signals-core";
import { readImportance } from "./client.js";

/** @typedef {{metric: string, source: import("./client.js").MetricSource, runs: string[], stamp: string}} ImportanceQuery runs: none = all; stamp: changes with the data */

/** Changed data is measured again at most this often, in milliseconds. */
const INTERVAL = 5000;

/** Remembers the newest answer, and asks again. */
class AskedImportance {
  /** Null until it is known. @type {import("@preact/signals-core").Signal<import("./client.js").Importance | null>} */
  reply = signal(null);
  /** @type {import("@preact/signals-core").Signal<Error | null>} */
  error = signal(null);
  /** @type {ImportanceQuery | null} */
  #wanted = null;
  /** What the reply answers. */
  #asked = "";
  #askedAt = -Infinity;
  #timer = 0;
  /** @type {AbortController | null} */
  #request = null;

  /** Asks until the returned function is called. @param {() => ImportanceQuery | null} wanted read inside an effect */
  follow(wanted) {
    const end = effect(() => {
      const query = wanted();
      if (query?.metric !== this.#wanted?.metric || query?.source !== this.#wanted?.source) this.#begin();
      this.#wanted = query;
      this.#askSoon();
    });
    return () => {
      end();
      if (this.#request) this.#asked = "";
      this.#stop();
    };
  }

  /** Another metric: nothing is known of it. */
  #begin() {
    this.#stop();
    this.#asked = "";
    this.#askedAt = -Infinity;
    [this.reply.value, this.error.value] = [null, null];
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#request?.abort();
    this.#request = null;
  }

  #askSoon() {
    if (!this.#wanted || this.#request || this.#timer || JSON.stringify(this.#wanted) === this.#asked) return;
    this.#timer = window.setTimeout(() => this.#ask(), Math.max(0, this.#askedAt + INTERVAL - performance.now()));
  }

  async #ask() {
    this.#timer = 0;
    const query = this.#wanted;
    if (!query) return;
    const request = (this.#request = new AbortController());
    this.#askedAt = performance.now();
    this.#asked = JSON.stringify(query);
    try {
      const reply = await readImportance(query.metric, query.source, query.runs, request.signal);
      if (!request.signal.aborted) [this.reply.value, this.error.value] = [reply, null];
    } catch (error) {
      if (!request.signal.aborted) [this.reply.value, this.error.value] = [null, /** @type {Error} */ (error)];
    }
    if (request.signal.aborted) return;
    this.#request = null;
    this.#askSoon();
  }
}

export const importance = new AskedImportance();
