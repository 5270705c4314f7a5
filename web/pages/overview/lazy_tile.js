// A tile of one run, rendered from a listing while it is visible.

import { effect, signal } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { LazyCard } from "../../controls/lazy_card.js";
import { Listing } from "../../data/listing.js";

/** Subclasses define the listing and render the reply. */
export class ListedTile extends LazyCard {
  #run = signal("");
  /** @type {Listing | null} */
  #listing = null;

  /** @param {string} run */
  set run(run) {
    this.#run.value = run;
  }

  /** @returns {import("../../data/listing_client.js").Kind} */
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
        render(value && listing.query?.run === this.#run.value ? this.template(value) : nothing, this);
      }),
    ];
  }
}
