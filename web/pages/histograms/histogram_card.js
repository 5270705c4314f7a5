// The card of one tag, with a plot for each run. Near the viewport it loads and follows its listings.

import { computed, effect, signal } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { columns } from "../../controls/grid_columns.js";
import { LazyCard } from "../../controls/lazy_card.js";
import { forget, remember } from "../../controls/recent_cards.js";
import { unionOf } from "../../controls/steps.js";
import { stopAll } from "../../data/client/stop_all.js";
import { Listing } from "../../data/tags/listing.js";
import { opened, theme } from "../../data/view/view.js";
import { cardFrame } from "./card_frame.js";
import { divergedLines, linesOf, MAX_RUNS, plansOf, sharedScales, stepsFor } from "./model/plans.js";
import { axis, isTogether, layout, mode, pageStep, range, ranks, scale, trim } from "./settings.js";

/** @typedef {import("../../data/tags/plugin_tags.js").SeriesRow} SeriesRow */

/** The size of a plot before it is measured. */
const DEFAULT_SIZE = { width: 300, height: 200 };

class HistogramCard extends LazyCard {
  tag = "";
  /** @type {import("@preact/signals-core").Signal<SeriesRow[]>} */
  #rows = signal([]);
  /** By run; kept while the card is inactive. @type {Map<string, Listing>} */
  #listings = new Map();
  /** The listings of the drawn runs. @type {import("@preact/signals-core").Signal<Listing[]>} */
  #drawnListings = signal([]);
  /** The size of each plot; null before it is measured.
   * @type {import("@preact/signals-core").Signal<{width: number, height: number} | null>} */
  #plotSize = signal(null);
  #tableShown = signal(false);
  #size = new ResizeObserver(() => this.#measure());
  #stopReserving = () => {};

  /** @param {SeriesRow[]} rows */
  set rows(rows) {
    this.#rows.value = rows;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#stopReserving = effect(() => this.#reserveSpace());
  }

  begin() {
    forget(this); // An active card is not dropped.
    const plotSize = computed(() => this.#plotSize.value ?? DEFAULT_SIZE);
    const runs = computed(() => JSON.stringify(this.#rows.value.slice(0, MAX_RUNS).map((row) => row.run)));
    const limit = computed(() => stepsFor(mode.value, plotSize.value.width, plotSize.value.height));
    const lines = computed(() => linesOf(this.#drawnListings.value, axis.value));
    const diverged = computed(() => (trim.value === "on" && !isTogether.value ? divergedLines(lines.value) : []));
    const common = computed(() => {
      const shared = lines.value.filter((line) => !diverged.value.includes(line));
      return sharedScales(shared, mode.value, plotSize.value.width, trim.value === "on");
    });
    const ownScales = computed(() =>
      scalesOfEach(range.value === "own" ? lines.value : diverged.value, plotSize.value.width),
    );
    const plans = computed(() =>
      plansOf(this.tag, mode.value, lines.value, axis.value, common.value, ownScales.value, {
        onOneBaseline: layout.value === "front",
        log: scale.value === "log",
        dark: theme.value === "dark",
        step: pageStep.shared.value,
      }),
    );
    this.classList.add("active");
    const ends = [
      effect(
        () =>
          void (this.#drawnListings.value = JSON.parse(runs.value).map((/** @type {string} */ run) =>
            this.#listingOf(run, limit.value),
          )),
      ),
      effect(() => {
        render(
          cardFrame({
            tag: this.tag,
            listings: this.#drawnListings.value,
            plans: plans.value,
            lines: lines.value,
            common: common.value,
            own: isTogether.value || range.value !== "own" ? null : [...ownScales.value.values()],
            diverged: range.value === "own" ? [] : diverged.value.map(({ run }) => run),
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
      // The plot size determines how many steps to request.
      effect(() => (this.#plotSize.value ? observeAll(this.#drawnListings.value) : undefined)),
      effect(() => pageStep.report(this, unionOf(lines.value.map((line) => line.rows.map((row) => row.step))))),
      () => this.#size.disconnect(),
      () => this.classList.remove("active"),
      () => pageStep.remove(this),
      () => remember(this),
    ];
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#stopReserving();
    if (!this.isConnected) this.drop();
  }

  /** Drops the listings; they are loaded again when the card is activated. */
  drop() {
    forget(this);
    this.#listings.clear();
    this.#drawnListings.value = [];
    render(nothing, this);
  }

  /** @param {string} run @param {number} limit */
  #listingOf(run, limit) {
    const current = this.#listings.get(run);
    const query = { run, tag: this.tag, limit, ...ranks.query.value };
    if (current) current.setQuery(query);
    const listing = current ?? new Listing("histograms", query);
    this.#listings.set(run, listing);
    return listing;
  }

  /** Reserves the card's space in advance, so that the page does not move when it is filled. */
  #reserveSpace() {
    const places = isTogether.value ? 1 : Math.max(1, Math.min(MAX_RUNS, this.#rows.value.length));
    const across = Math.min(places, opened.value === this.tag ? 3 : columns.value);
    this.style.setProperty("--across", String(across));
    this.style.setProperty("--down", String(Math.ceil(places / across)));
  }

  /** Measures the plots, which are all of the same size. */
  #measure() {
    const { clientWidth: width = 0, clientHeight: height = 0 } = this.querySelector(".plot-room") ?? {};
    const current = this.#plotSize.peek();
    if (width && (width !== current?.width || height !== current.height)) this.#plotSize.value = { width, height };
  }

  /** @param {boolean} enlarged */
  #enlarge(enlarged) {
    if (this.classList.toggle("enlarged", enlarged)) this.scrollIntoView({ block: "nearest" });
  }
}

/** The scales of each run alone.
 * @param {import("../../charts/histogram/buckets.js").Line[]} lines @param {number} width of a plot */
const scalesOfEach = (lines, width) =>
  new Map(lines.map((line) => [line, sharedScales([line], mode.value, width, trim.value === "on")]));

/** @param {Listing[]} listings */
function observeAll(listings) {
  return stopAll(listings.map((listing) => listing.observe()));
}

customElements.define("histogram-card", HistogramCard);
