// Replies of the server by key, asked for again when what they tell of has changed.

import { signal } from "@preact/signals-core";

/** Remembers replies by key, and asks again for those whose stamp has changed. What came stays until something newer does.
 * @template Reply */
export class Replies {
  /** @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Reply>>} */
  all = signal(new Map());
  /** @type {import("@preact/signals-core").Signal<Error | null>} */
  error = signal(null);
  /** @type {ReadonlyMap<string, string>} */
  #wanted = new Map();
  /** @type {Map<string, string>} */
  #knownAt = new Map();
  /** @type {Map<string, AbortController>} */
  #asking = new Map();

  /** @param {(key: string, signal: AbortSignal) => Promise<Reply>} read */
  constructor(read) {
    this.read = read;
  }

  /** @param {ReadonlyMap<string, string>} wanted stamps by key */
  want(wanted) {
    this.#wanted = wanted;
    for (const [key, request] of this.#asking) if (!wanted.has(key)) request.abort();
    const gone = [...this.all.peek().keys()].filter((key) => !wanted.has(key));
    gone.forEach((key) => this.#knownAt.delete(key));
    if (gone.length) this.all.value = new Map([...this.all.peek()].filter(([key]) => wanted.has(key)));
    for (const [key, stamp] of wanted)
      if (this.#knownAt.get(key) !== stamp && !this.#asking.has(key)) this.#ask(key, stamp);
  }

  /** Asks for all of them again, if they are wanted. */
  expire() {
    this.#knownAt.clear();
    this.want(this.#wanted);
  }

  /** @param {string} key @param {string} stamp */
  async #ask(key, stamp) {
    const request = new AbortController();
    this.#asking.set(key, request);
    try {
      const reply = await this.read(key, request.signal);
      if (request.signal.aborted) return;
      this.all.value = new Map(this.all.peek()).set(key, reply);
      this.error.value = null;
    } catch (error) {
      if (!request.signal.aborted) this.error.value = /** @type {Error} */ (error);
    } finally {
      this.#asking.delete(key);
      if (!request.signal.aborted) this.#knownAt.set(key, stamp);
      if (this.#wanted.get(key) !== this.#knownAt.get(key)) this.want(this.#wanted);
    }
  }
}
