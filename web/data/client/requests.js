// Requests that can be aborted, and queues that bound how many are under way.

/** Starts a request. After `abort` neither callback is called.
 * @template Reply
 * @param {(signal: AbortSignal) => Promise<Reply>} send
 * @param {{loaded: (reply: Reply) => void, failed: (error: Error) => void}} callbacks
 * @returns {{done: Promise<void>, abort: () => void}} `done` never rejects */
export function startRequest(send, { loaded, failed }) {
  const controller = new AbortController();
  const { signal } = controller;
  const run = async () => {
    try {
      const reply = await send(signal);
      if (!signal.aborted) loaded(reply);
    } catch (error) {
      if (!signal.aborted) failed(/** @type {Error} */ (error));
    }
  };
  return { done: run(), abort: () => controller.abort() };
}

/** Calls functions that start requests, in order, while fewer than `limit` requests are under way. */
export class RequestQueue {
  /** @type {Set<() => Promise<void>>} */
  #waiting = new Set();
  #running = 0;

  /** @param {number} limit */
  constructor(limit) {
    this.limit = limit;
  }

  /** Adding a waiting function again has no effect. @param {() => Promise<void>} start called in a later microtask */
  add(start) {
    this.#waiting.add(start);
    queueMicrotask(() => this.#startSome());
  }

  /** @param {() => Promise<void>} start */
  remove(start) {
    this.#waiting.delete(start);
  }

  #startSome() {
    for (const start of this.#waiting) {
      if (this.#running >= this.limit) return;
      this.#waiting.delete(start);
      this.#running++;
      start().finally(() => {
        this.#running--;
        this.#startSome();
      });
    }
  }
}
