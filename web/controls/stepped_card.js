// A card of one tag that shows every drawn run at one step: its listings, and which step that is.

import { computed, effect, signal } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { Listing } from "../data/listing.js";
import { setting } from "../data/view.js";
import { LazyCard } from "./lazy_card.js";
import { placeOf, unionOf } from "./steps.js";

/** @typedef {import("../data/plugin_tags.js").SeriesRow} SeriesRow */
/** @typedef {import("./page_step.js").PageStep} PageStep */

/** One run of a card. `moments` is what the server listed, by step.
 * @template {{step: number}} Moment
 * @typedef {{run: string, listing: Listing, moments: import("@preact/signals-core").ReadonlySignal<Moment[]>}} Cell */

/** Points of a series that are listed, evenly spread; more when somebody asks for all of them. */
const SOME = 50;
const MOST = 1000;

/** @template {{step: number}} Moment */
export class SteppedCard extends LazyCard {
  tag = "";
  /** @type {import("@preact/signals-core").Signal<SeriesRow[]>} */
  #rows = signal([]);
  /** @type {Map<string, Cell<Moment>>} */
  #cells = new Map();
  /** The runs of the card, in start order. */
  cells = computed(() => this.#rows.value.map((row) => this.#cellOf(row.run)));
  /** Steps that any of them has something at. */
  steps = computed(() => unionOf(this.cells.value.map(({ moments }) => moments.value.map(({ step }) => step))));
  /** Points of its longest series: how many there are, how many are listed; and how many of all series are damaged. */
  counts = computed(() => {
    const replies = this.cells.value.flatMap(({ listing }) =>
      listing.reply.value ? [{ ...listing.reply.value, limit: listing.query?.limit ?? SOME }] : [],
    );
    const longest = replies.reduce((one, other) => (other.total > one.total ? other : one), { total: 0, limit: 0 });
    return {
      total: longest.total,
      listed: Math.min(longest.total, longest.limit),
      damaged: replies.reduce((sum, { damaged }) => sum + damaged, 0),
    };
  });

  /** @returns {{kind: import("../data/listings.js").Kind, page: PageStep, ranks: import("../data/ranks.js").RankChoice}} */
  get source() {
    throw new Error("a card says where its data comes from");
  }

  /** @param {any} _reply @returns {Moment[]} */
  momentsOf(_reply) {
    return [];
  }

  /** @returns {unknown} */
  template() {
    return nothing;
  }

  /** Called when it stands on the page. */
  rendered() {}

  /** @param {SeriesRow[]} rows */
  set rows(rows) {
    this.#rows.value = rows;
  }

  /** @param {string} run @returns {Cell<Moment>} */
  #cellOf(run) {
    const known = this.#cells.get(run);
    if (known) return known;
    const listing = new Listing(this.source.kind, {
      run,
      tag: this.tag,
      limit: SOME,
      ...this.source.ranks.query.peek(),
    });
    const moments = computed(() => (listing.reply.value ? this.momentsOf(listing.reply.value) : []));
    const cell = { run, listing, moments };
    this.#cells.set(run, cell);
    return cell;
  }

  begin() {
    const { page, ranks } = this.source;
    const every = setting(`${page.page}.every`, "");
    return [
      effect(() => {
        for (const { run, listing } of this.cells.value)
          listing.ask({ run, tag: this.tag, limit: every.value ? MOST : SOME, ...ranks.query.value });
      }),
      effect(() => {
        const ends = this.cells.value.map(({ listing }) => listing.look());
        return () => ends.forEach((end) => end());
      }),
      effect(() => page.tell(this, this.steps.value)),
      () => page.forget(this),
      effect(() => {
        render(this.template(), this);
        this.rendered();
      }),
    ];
  }

  /** What a cell shows at a step: the last before it, or at it.
   * @param {Cell<Moment>} cell @param {number} step @returns {Moment | undefined} */
  momentAt({ moments }, step) {
    return moments.value[
      placeOf(
        moments.value.map((moment) => moment.step),
        step,
      )
    ];
  }

  /** Moves the card by itself: it leaves the step of its page.
   * @param {number} by */
  move(by) {
    const steps = this.steps.peek();
    const place = placeOf(steps, this.source.page.at(this.tag)) + by;
    this.source.page.take(this.tag, steps[Math.max(0, Math.min(steps.length - 1, place))] ?? null);
  }
}
