// What a tile draws of one run when it is in sight, from a list that the server is asked for.

import { effect, signal } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { LazyCard } from "../../controls/lazy_card.js";
import { Listing } from "../../data/listing.js";

/** Subclasses say what is asked for, and draw the reply. */
export class ListedTile extends LazyCard {
  #run = signal("");
  /** @type {Listing | null} */
  #listing = null;

  /** @param {string} run */
  set run(run) {
    this.#run.value = run;
  }

  /** @returns {import("../../data/listings.js").Kind} */
  get kind() {
    throw new Error("a tile says what it shows");
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
      effect(() => listing.ask({ run: this.#run.value, ...this.query })),
      listing.look(),
      effect(() => {
        const { value } = listing.reply;
        render(value && listing.query?.run === this.#run.value ? this.template(value) : nothing, this);
      }),
    ];
  }
}
