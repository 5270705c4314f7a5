// A part of the page of a run, rendered from a listing while it is visible.

import { effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { LazyCard } from "../../../controls/lazy_card.js";
import { Listing } from "../../../data/tags/listing.js";
import { t } from "../words.js";

/** Subclasses define the listing and render the reply. */
export class ListedPart extends LazyCard {
  #run = signal("");
  /** @type {Listing | null} */
  #listing = null;

  /** @param {string} run */
  set run(run) {
    this.#run.value = run;
  }

  /** @returns {import("../../../data/tags/listing_client.js").Kind} */
  get kind() {
    throw new Error("subclasses define the kind");
  }

  get query() {
    return {};
  }

  /** @param {any} _reply @returns {unknown} */
  template(_reply) {
    return nothing;
  }

  begin() {
    const listing = (this.#listing ??= new Listing(this.kind, { run: this.#run.peek(), ...this.query }));
    return [
      effect(() => listing.setQuery({ run: this.#run.value, ...this.query })),
      listing.observe(),
      effect(() => {
        const { value } = listing.reply;
        const error = listing.error.value;
        const part = value && listing.query?.run === this.#run.value ? this.template(value) : nothing;
        render(error ? failure(error) : part, this);
      }),
    ];
  }
}

/** @param {Error} error */
const failure = (error) => html`<p class="warning" role="alert">${t("run.failed", { reason: error.message })}</p>`;
