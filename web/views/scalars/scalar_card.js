// A card: one tag, one chart. Far from the window it is only its place; in sight it asks, draws and follows.

import { computed, effect } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { drawNever, drawSoon } from "../../charts/draw_queue.js";
import { LineChart } from "../../charts/line_chart.js";
import { Feed } from "../../state/feed.js";
import { feeds } from "../../state/live.js";
import { crosshair, pointedRun } from "../../state/pointer.js";
import { asked, follow, leave } from "../../state/requests.js";
import { change, opened, theme, zooms } from "../../state/view.js";
import { cardFrame } from "./card_frame.js";
import { axisFor, drawnSeries, plotOf, queryFor } from "./card_model.js";
import { CardPointer } from "./card_pointer.js";
import { forget, remember } from "./recent_cards.js";

/** @typedef {import("../../charts/plot.js").Plot} Plot */
/** @typedef {import("../../lib/view.js").Window} Window */

/** How far outside the window a card is made ready. */
const NEAR = "240px 0px";

const sight = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const card = /** @type {ScalarCard} */ (target);
      if (isIntersecting) card.wake();
      else card.sleep();
    }
  },
  { rootMargin: NEAR },
);

const size = new ResizeObserver((entries) => {
  for (const { target } of entries) /** @type {ScalarCard | null} */ (target.closest("scalar-card"))?.fit();
});

class ScalarCard extends HTMLElement {
  /** @type {Array<() => void>} */
  #ends = [];
  /** @type {LineChart | null} */
  #chart = null;
  /** @type {Plot | null} */
  #plot = null;
  /** @type {CardPointer | null} */
  #pointer = null;
  #draw = () => this.draw();
  tag = "";
  /** @type {Feed | null} */
  feed = null;

  connectedCallback() {
    sight.observe(this);
  }

  disconnectedCallback() {
    sight.unobserve(this);
    this.sleep();
    if (!this.isConnected) this.drop();
  }

  wake() {
    if (this.#ends.length) return;
    const feed = (this.feed ??= new Feed(this.tag));
    remember(this);
    feeds.add(feed);
    const series = computed(() => drawnSeries(feed));
    const axis = computed(() => axisFor(series.value));
    this.#ends = [
      effect(() => void (feed.ask(queryFor(this.tag, axis.value)) && asked())),
      effect(() => void render(cardFrame(this, feed, series.value, axis.value), this)),
      effect(() => {
        this.#plot = plotOf(this.tag, series.value, axis.value);
        theme.value;
        drawSoon(this.#draw);
      }),
      effect(() => this.#showCrosshair(crosshair.value, axis.value)),
      effect(() => this.#standOut(pointedRun.value)),
      effect(() => this.#enlarge(opened.value === this.tag)),
    ];
    size.observe(this.host());
    follow(feed);
  }

  sleep() {
    if (!this.#ends.length) return;
    for (const end of this.#ends) end();
    this.#ends = [];
    drawNever(this.#draw);
    size.unobserve(this.host());
    this.#removeChart();
    if (this.feed) leave(this.feed);
  }

  /** Lets go of the series too; they are asked for again when the card comes back. */
  drop() {
    forget(this);
    if (this.feed) feeds.delete(this.feed);
    this.feed = null;
    render(nothing, this);
  }

  /** @param {{axis: string, x: number} | null} at @param {string} axis this card's: another one has no such place */
  #showCrosshair(at, axis) {
    this.#chart?.showCrosshair(at?.axis === axis ? at.x : null);
  }

  /** @param {string | null} run */
  #standOut(run) {
    this.#chart?.layer?.standOut(run);
  }

  /** @param {boolean} enlarged */
  #enlarge(enlarged) {
    if (this.classList.toggle("enlarged", enlarged)) this.scrollIntoView({ block: "nearest" });
  }

  /** Where the chart stands. @returns {HTMLElement} */
  host() {
    return /** @type {HTMLElement} */ (this.querySelector(".plot"));
  }

  draw() {
    const plot = this.#plot;
    if (!plot) this.#removeChart();
    else if (this.#chart) this.#chart.draw(plot);
    else this.#addChart(plot);
    this.#pointer?.refresh();
    this.#tellTests();
  }

  fit() {
    const host = this.host();
    if (host?.clientWidth && host.clientHeight) this.#chart?.resize(host.clientWidth, host.clientHeight);
  }

  /** @param {Plot} plot */
  #addChart(plot) {
    const chart = new LineChart(this.host(), plot, {
      zoomed: (window) => this.zoom(window),
      reset: () => this.zoom(null),
      pointed: (at) => this.#pointer?.moved(at),
    });
    this.#chart = chart;
    this.#pointer = new CardPointer(chart);
  }

  #removeChart() {
    this.#pointer?.leave();
    this.#pointer = null;
    this.#chart?.destroy();
    this.#chart = null;
  }

  /** @param {Window | null} window */
  zoom(window) {
    const { [this.tag]: _, ...others } = zooms.peek();
    change({ zooms: window ? { ...others, [this.tag]: window } : others });
  }

  /** What is drawn, readable from outside. */
  #tellTests() {
    const plot = this.#plot;
    this.dataset.drawnPoints = String(plot?.lines.reduce((sum, line) => sum + line.xs.length, 0) ?? 0);
    this.dataset.total = String(plot?.lines.reduce((sum, { series }) => sum + series.total - series.duplicates, 0) ?? 0);
    this.dataset.drawnRuns = JSON.stringify(plot?.lines.map((line) => line.run) ?? []);
    this.dataset.axis = plot?.axis ?? "";
    this.dataset.window = plot?.x.join(",") ?? "";
    this.dataset.revision = String(this.feed?.revision ?? 0);
    this.dataset.pending = String(Boolean(this.feed?.asking.size));
  }
}

customElements.define("scalar-card", ScalarCard);
