// Requests that can be aborted, and a scheduler that bounds how many are under way.

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

/** Starts tasks while fewer than `limit` are under way. A task is chosen only when there is room for it. */
export class Scheduler {
  #running = 0;
  #isScheduled = false;

  /** @param {() => (() => Promise<void>) | undefined} next the task to start now, undefined if there is none
   * @param {number} limit */
  constructor(next, limit) {
    this.next = next;
    this.limit = limit;
  }

  /** Starts tasks once the current turn of the event loop is over. */
  schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#start();
    });
  }

  #start() {
    while (this.#running < this.limit) {
      const task = this.next();
      if (!task) return;
      this.#running++;
      task().finally(() => {
        this.#running--;
        this.schedule();
      });
    }
  }
}
