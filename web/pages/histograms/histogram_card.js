// A card: one tag, a plot for each run. In sight it asks for its listings and follows them.

import { computed, effect, signal } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { columns } from "../../controls/grid_columns.js";
import { LazyCard } from "../../controls/lazy_card.js";
import { forget, remember } from "../../controls/recent_cards.js";
import { unionOf } from "../../controls/steps.js";
import { Listing } from "../../data/listing.js";
import { stopAll } from "../../data/stop_all.js";
import { opened, theme } from "../../data/view.js";
import { cardFrame } from "./card_frame.js";
import { linesOf, MOST_RUNS, plansOf, shared, stepsFor } from "./card_model.js";
import { axis, isTogether, layout, mode, pageStep, ranks, scale, trim } from "./settings.js";

/** @typedef {import("../../data/plugin_tags.js").SeriesRow} SeriesRow */

/** Before the first plot is measured. */
const USUAL_ROOM = { width: 300, height: 200 };

class HistogramCard extends LazyCard {
  tag = "";
  /** @type {import("@preact/signals-core").Signal<SeriesRow[]>} */
  #rows = signal([]);
  /** By run; they outlast a card's sleep. @type {Map<string, Listing>} */
  #listings = new Map();
  /** Those of the runs that are drawn. @type {import("@preact/signals-core").Signal<Listing[]>} */
  #drawn = signal([]);
  /** Of each plot; null before the first is measured.
   * @type {import("@preact/signals-core").Signal<{width: number, height: number} | null>} */
  #room = signal(null);
  #tableShown = signal(false);
  #size = new ResizeObserver(() => this.#measure());
  #endShape = () => {};

  /** @param {SeriesRow[]} rows */
  set rows(rows) {
    this.#rows.value = rows;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#endShape = effect(() => this.#shape());
  }

  begin() {
    forget(this); // What is in sight is not let go of.
    const room = computed(() => this.#room.value ?? USUAL_ROOM);
    const runs = computed(() => JSON.stringify(this.#rows.value.slice(0, MOST_RUNS).map((row) => row.run)));
    const limit = computed(() => stepsFor(mode.value, room.value.width, room.value.height));
    const lines = computed(() => linesOf(this.#drawn.value, axis.value));
    const common = computed(() => shared(lines.value, mode.value, room.value.width, trim.value === "on"));
    const plans = computed(() =>
      plansOf(this.tag, mode.value, lines.value, axis.value, common.value, {
        front: layout.value === "front",
        log: scale.value === "log",
        dark: theme.value === "dark",
        step: pageStep.shared.value,
      }),
    );
    this.classList.add("awake");
    const ends = [
      effect(
        () =>
          void (this.#drawn.value = JSON.parse(runs.value).map((/** @type {string} */ run) =>
            this.#listingOf(run, limit.value),
          )),
      ),
      effect(() => {
        render(
          cardFrame({
            tag: this.tag,
            listings: this.#drawn.value,
            plans: plans.value,
            lines: lines.value,
            common: common.value,
            runs: this.#rows.value.length,
            tableShown: this.#tableShown,
          }),
          this,
        );
      }),
      effect(() => this.#enlarge(opened.value === this.tag)),
    ];
    this.#size.observe(this);
    // After all cards activated together are rendered; their observer is called only a frame later.
    queueMicrotask(() => this.#measure());
    return [
      ...ends,
      // Only who knows how large the plots are knows how many steps to ask for.
      effect(() => (this.#room.value ? look(this.#drawn.value) : undefined)),
      effect(() => pageStep.report(this, unionOf(lines.value.map((line) => line.rows.map((row) => row.step))))),
      () => this.#size.disconnect(),
      () => this.classList.remove("awake"),
      () => pageStep.remove(this),
      () => remember(this),
    ];
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#endShape();
    if (!this.isConnected) this.drop();
  }

  /** Lets go of the listings; they are asked for again when the card comes back. */
  drop() {
    forget(this);
    this.#listings.clear();
    this.#drawn.value = [];
    render(nothing, this);
  }

  /** @param {string} run @param {number} limit */
  #listingOf(run, limit) {
    const known = this.#listings.get(run);
    const query = { run, tag: this.tag, limit, ...ranks.query.value };
    if (known) known.setQuery(query);
    const listing = known ?? new Listing("histograms", query);
    this.#listings.set(run, listing);
    return listing;
  }

  /** A card has its place before it comes into sight: nothing moves when it is filled. */
  #shape() {
    const places = isTogether.value ? 1 : Math.max(1, Math.min(MOST_RUNS, this.#rows.value.length));
    const across = Math.min(places, opened.value === this.tag ? 3 : columns.value);
    this.style.setProperty("--across", String(across));
    this.style.setProperty("--down", String(Math.ceil(places / across)));
  }

  /** All plots of a card are equally large. */
  #measure() {
    const { clientWidth: width = 0, clientHeight: height = 0 } = this.querySelector(".plot-room") ?? {};
    const known = this.#room.peek();
    if (width && (width !== known?.width || height !== known.height)) this.#room.value = { width, height };
  }

  /** @param {boolean} enlarged */
  #enlarge(enlarged) {
    if (this.classList.toggle("enlarged", enlarged)) this.scrollIntoView({ block: "nearest" });
  }
}

/** @param {Listing[]} listings */
function look(listings) {
  return stopAll(listings.map((listing) => listing.observe()));
}

customElements.define("histogram-card", HistogramCard);
