// Why the last change was refused by the server: a message that the next one removes.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";

export class Refusal {
  #message = signal("");

  /** The message, if it was. */
  get note() {
    return this.#message.value ? html`<p class="warning" role="alert">${this.#message.value}</p>` : nothing;
  }

  forget() {
    this.#message.value = "";
  }

  /** Acts; notes why that was refused. @param {() => unknown} act */
  attempt = async (act) => {
    this.forget();
    try {
      await act();
    } catch (error) {
      this.#message.value = /** @type {Error} */ (error).message;
    }
  };
}
