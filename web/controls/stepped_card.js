// A card of one tag that shows every drawn run at one step.

import { computed, effect, signal } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { stopAll } from "../data/client/stop_all.js";
import { Listing } from "../data/tags/listing.js";
import { setting } from "../data/view/view.js";
import { LazyCard } from "./lazy_card.js";
import { indexAtOrBefore, unionOf } from "./steps.js";

/** @typedef {import("../data/tags/plugin_tags.js").SeriesRow} SeriesRow */
/** @typedef {import("./page_step.js").PageStep} PageStep */

/** One run of a card. `moments` are its listed points, by step.
 * @template {{step: number}} Moment
 * @typedef {{run: string, listing: Listing, moments: import("@preact/signals-core").ReadonlySignal<Moment[]>}} Cell */

/** Listed points of a series, evenly spaced; the second if all are requested. */
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
  /** Steps at which any of them has a point. */
  steps = computed(() => unionOf(this.cells.value.map(({ moments }) => moments.value.map(({ step }) => step))));
  /** The points of the longest series, how many of them are listed, and the damaged points of all series. */
  counts = computed(() => {
    const replies = this.cells.value.flatMap(({ listing }) =>
      listing.reply.value ? [{ ...listing.reply.value, limit: listing.query?.limit ?? SOME }] : [],
    );
    const longest = replies.reduce((a, b) => (b.total > a.total ? b : a), { total: 0, limit: 0 });
    return {
      total: longest.total,
      listed: Math.min(longest.total, longest.limit),
      damaged: replies.reduce((sum, { damaged }) => sum + damaged, 0),
    };
  });

  /** @returns
   * {{kind: import("../data/tags/listing_client.js").Kind, page: PageStep, ranks: import("../data/runs/ranks.js").RankChoice}} */
  get source() {
    throw new Error("subclasses define the source");
  }

  /** Further parameters of its listings. @returns {Partial<import("../data/tags/listing_client.js").ListingQuery>} */
  get parameters() {
    return {};
  }

  /** @param {any} _reply @returns {Moment[]} */
  momentsOf(_reply) {
    return [];
  }

  /** @returns {unknown} */
  template() {
    return nothing;
  }

  /** Called after each rendering. */
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
      ...this.parameters,
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
          listing.setQuery({
            run,
            tag: this.tag,
            limit: every.value ? MOST : SOME,
            ...this.parameters,
            ...ranks.query.value,
          });
      }),
      effect(() => {
        const ends = this.cells.value.map(({ listing }) => listing.observe());
        return stopAll(ends);
      }),
      effect(() => page.report(this, this.steps.value)),
      () => page.remove(this),
      effect(() => {
        render(this.template(), this);
        this.rendered();
      }),
    ];
  }

  /** Returns what a cell shows at a step: its last point at or before it.
   * @param {Cell<Moment>} cell @param {number} step @returns {Moment | undefined} */
  momentAt({ moments }, step) {
    return moments.value[
      indexAtOrBefore(
        moments.value.map((moment) => moment.step),
        step,
      )
    ];
  }

  /** Moves only this card: it no longer follows the page's step.
   * @param {number} by */
  move(by) {
    const steps = this.steps.peek();
    const place = indexAtOrBefore(steps, this.source.page.at(this.tag)) + by;
    this.source.page.setOwn(this.tag, steps[Math.max(0, Math.min(steps.length - 1, place))] ?? null);
  }
}
