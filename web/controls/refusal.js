// Why the last change was refused by the server: a message that the next one removes.

import { signal } from "@preact/signals-core";

export class Refusal {
  #message = signal("");

  /** "" = it was not. */
  get message() {
    return this.#message.value;
  }

  forget() {
    this.#message.value = "";
  }

  /** Acts; notes why that was refused. @param {() => Promise<unknown>} act */
  attempt = async (act) => {
    this.forget();
    try {
      await act();
    } catch (error) {
      this.#message.value = /** @type {Error} */ (error).message;
    }
  };
}
