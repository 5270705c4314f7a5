// A card: one tag, one chart. Far from the window it is only its place; in sight it asks, draws and follows.

import { computed, effect } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { drawNever, drawSoon } from "../../charts/draw_queue.js";
import { forget, remember } from "../../controls/recent_cards.js";
import { crosshair, pointedRun } from "../../data/pointer.js";
import { asked } from "../../data/series_requests.js";
import { change, theme, zooms } from "../../data/view.js";
import { cardFrame } from "./card_frame.js";
import { axisFor, beyondLimits, plotOf, queryFor } from "./card_model.js";
import { CardParts } from "./card_parts.js";
import { CardPointer } from "./card_pointer.js";
import { giveBack, takeChart } from "./draw/chart_pool.js";

/** @typedef {import("../../charts/plot.js").Plot} Plot */
/** @typedef {import("../../data/address.js").Window} Window */

/** How far outside the window a card is made ready. */
const NEAR = "240px 0px";

const sight = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const card = /** @type {ScalarCard} */ (target);
      if (isIntersecting) drawSoon(card.wakeUp);
      else card.sleep();
    }
  },
  { rootMargin: NEAR },
);

const size = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const card = /** @type {ScalarCard | null} */ (target.closest("scalar-card"));
    if (card) drawSoon(card.fit);
  }
});

export class ScalarCard extends HTMLElement {
  /** @type {Array<() => void>} */
  #ends = [];
  /** @type {import("../../charts/line_chart.js").LineChart | null} */
  #chart = null;
  /** What is drawn, or is about to be. @type {Plot | null} */
  plot = null;
  /** @type {CardPointer | null} */
  #pointer = null;
  #draw = () => this.draw();
  /** Cards that come into sight together wake one after the other. */
  wakeUp = () => this.wake();
  tag = "";
  /** @type {CardParts | null} */
  parts = null;

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
    const parts = (this.parts ??= new CardParts(this.tag));
    forget(this); // What is in sight is not let go of.
    const own = computed(() => parts.all.value[0].series);
    const axis = computed(() => axisFor(own.value));
    const plot = computed(() => plotOf(this.tag, parts.all.value, axis.value));
    this.#ends = [
      effect(() => {
        const query = queryFor(this.tag, axis.value);
        if (parts.tags.value.map(({ tag }) => parts.feedOf(tag).ask(query)).some(Boolean)) asked();
      }),
      effect(() => void render(cardFrame(this, parts, plot.value, axis.value), this)),
      effect(() => {
        this.plot = plot.value;
        theme.value;
        drawSoon(this.#draw);
      }),
      effect(() => this.#showCrosshair(crosshair.value, axis.value)),
      effect(() => this.#standOut(pointedRun.value)),
      parts.follow(),
    ];
    size.observe(this.host());
  }

  sleep() {
    drawNever(this.wakeUp);
    if (!this.#ends.length) return;
    for (const end of this.#ends) end();
    this.#ends = [];
    drawNever(this.#draw);
    drawNever(this.fit);
    size.unobserve(this.host());
    this.#removeChart();
    remember(this);
  }

  /** Lets go of the series too; they are asked for again when the card comes back. */
  drop() {
    forget(this);
    this.parts?.drop();
    this.parts = null;
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

  /** Where the chart stands. @returns {HTMLElement} */
  host() {
    return /** @type {HTMLElement} */ (this.querySelector(".plot"));
  }

  draw() {
    const plot = this.plot;
    if (!plot) this.#removeChart();
    else if (this.#chart) this.#chart.draw(plot);
    else this.#addChart(plot);
    this.#pointer?.refresh();
    this.#tellTests();
  }

  fit = () => {
    const host = this.host();
    if (host?.clientWidth && host.clientHeight) this.#chart?.resize(host.clientWidth, host.clientHeight);
  };

  /** @param {Plot} plot */
  #addChart(plot) {
    const chart = takeChart(this.host(), plot, {
      zoomed: (window) => this.zoom(window),
      reset: () => this.zoom(null),
      pointed: (at) => this.#pointer?.moved(at),
    });
    this.#chart = chart;
    this.#pointer = new CardPointer(chart);
    this.#standOut(pointedRun.peek());
  }

  #removeChart() {
    this.#pointer?.leave();
    this.#pointer = null;
    if (this.#chart) giveBack(this.#chart);
    this.#chart = null;
  }

  /** @param {Window | null} window */
  zoom(window) {
    const { [this.tag]: _, ...others } = zooms.peek();
    change({ zooms: window ? { ...others, [this.tag]: window } : others });
  }

  /** What is drawn, readable from outside. */
  #tellTests() {
    const { plot } = this;
    const lines = plot?.lines ?? [];
    const feeds = this.parts?.all.peek().map(({ feed }) => feed) ?? [];
    const told = {
      drawnPoints: lines.reduce((sum, line) => sum + line.xs.length, 0),
      total: lines.reduce((sum, { series }) => sum + series.total - series.duplicates, 0),
      drawnRuns: JSON.stringify([...new Set(lines.map((line) => line.run))]),
      drawnLines: JSON.stringify(
        lines.map(({ run, kin = [], side }) => [run, ...kin, ...(side === "right" ? [side] : [])]),
      ),
      axis: plot?.axis ?? "",
      window: plot?.x.join(",") ?? "",
      heights: JSON.stringify(plot?.y ?? null),
      flags: JSON.stringify(lines.flatMap(({ run, flag }) => (flag ? [[run, flag.step, flag.y]] : []))),
      beyond: JSON.stringify(plot ? beyondLimits(plot).flatMap((limit) => limit.lines.map(({ run }) => run)) : []),
      revision: feeds[0]?.revision ?? 0,
      pending: feeds.some((feed) => feed.asking.size),
    };
    for (const [name, value] of Object.entries(told)) this.dataset[name] = String(value);
  }
}

customElements.define("scalar-card", ScalarCard);
