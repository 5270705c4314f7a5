// A card: one tag, one chart. It fetches and draws only while it is in or near the viewport.

import { computed, effect } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { releaseChart, takeChart } from "../../charts/chart_pool.js";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { axisFor, beyondLimits, plotOf } from "../../controls/lines/line_plot.js";
import { ChartPointer } from "../../controls/lines/pointer.js";
import { forget, remember } from "../../controls/recent_cards.js";
import { crosshair, hoveredRun } from "../../data/pointer.js";
import { zoomTo } from "../../data/ranges.js";
import { noteGroups } from "../../data/received_groups.js";
import { queriesChanged } from "../../data/series_requests.js";
import { axis as pageAxis, theme } from "../../data/view.js";
import { cardFrame } from "./card_frame.js";
import { plotSettings, queryFor } from "./card_model.js";
import { CardParts } from "./card_parts.js";

/** @typedef {import("../../charts/plot.js").Plot} Plot */
/** @typedef {import("../../data/address.js").Window} Window */

/** How far outside the viewport a card is activated. */
const NEAR = "240px 0px";

const viewport = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const card = /** @type {ScalarCard} */ (target);
      if (isIntersecting) scheduleDraw(card.activateLater);
      else card.deactivate();
    }
  },
  { root: document, rootMargin: NEAR }, // The document of a frame has its own viewport.
);

const size = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const card = /** @type {ScalarCard | null} */ (target.closest("scalar-card"));
    if (card) scheduleDraw(card.fit);
  }
});

export class ScalarCard extends HTMLElement {
  /** @type {Array<() => void>} */
  #ends = [];
  /** @type {import("../../charts/line_chart.js").LineChart | null} */
  #chart = null;
  /** The plot that is drawn or scheduled. @type {Plot | null} */
  plot = null;
  /** @type {ChartPointer | null} */
  #pointer = null;
  /** Of the drawn plot. @type {import("../../data/address.js").Axis} */
  #axis = "step";
  #draw = () => this.draw();
  /** Cards that become visible together are activated one after the other. */
  activateLater = () => this.activate();
  tag = "";
  /** @type {CardParts | null} */
  parts = null;

  connectedCallback() {
    viewport.observe(this);
  }

  disconnectedCallback() {
    viewport.unobserve(this);
    this.deactivate();
    if (!this.isConnected) this.drop();
  }

  activate() {
    if (this.#ends.length) return;
    const parts = (this.parts ??= new CardParts(this.tag));
    forget(this); // Visible cards keep their series.
    const own = computed(() => parts.all.value[0].series);
    const axis = computed(() => axisFor(pageAxis.value, this.tag, own.value));
    const plot = computed(() => plotOf(parts.all.value, plotSettings(this.tag, axis.value), parts.baseline.value));
    this.#ends = [
      effect(() => {
        const query = queryFor(this.tag, axis.value);
        const changes = parts.tags.value.map(({ tag }) => parts.feedOf(tag).setQuery(query));
        changes.push(parts.baselineFeed.setQuery({ ...query, grouped: null }));
        if (changes.some(Boolean)) queriesChanged();
      }),
      effect(() => {
        for (const { feed } of parts.all.value) noteGroups(feed);
      }),
      effect(() => void render(cardFrame(this, parts, plot.value, axis.value), this)),
      effect(() => {
        this.plot = plot.value;
        this.#axis = axis.value;
        theme.value;
        scheduleDraw(this.#draw);
      }),
      effect(() => this.#showCrosshair(crosshair.value, axis.value)),
      effect(() => this.#highlight(hoveredRun.value)),
      parts.follow(),
    ];
    size.observe(this.host());
  }

  deactivate() {
    cancelDraw(this.activateLater);
    if (!this.#ends.length) return;
    for (const end of this.#ends) end();
    this.#ends = [];
    cancelDraw(this.#draw);
    cancelDraw(this.fit);
    size.unobserve(this.host());
    this.#removeChart();
    remember(this);
  }

  /** Drops the series too; they are fetched again when the card becomes visible. */
  drop() {
    forget(this);
    this.parts?.drop();
    this.parts = null;
    render(nothing, this);
  }

  /** @param {{axis: string, x: number} | null} at
   * @param {string} axis of this card; a crosshair on another axis is hidden */
  #showCrosshair(at, axis) {
    this.#chart?.showCrosshair(at?.axis === axis ? at.x : null);
  }

  /** @param {string | null} run */
  #highlight(run) {
    this.#chart?.layer?.highlightRun(run);
  }

  /** The element that contains the chart. @returns {HTMLElement} */
  host() {
    return /** @type {HTMLElement} */ (this.querySelector(".plot"));
  }

  draw() {
    const plot = this.plot;
    if (!plot) this.#removeChart();
    else if (this.#chart) this.#chart.draw(plot);
    else this.#addChart(plot);
    this.#pointer?.refresh();
    this.#publishCounts();
  }

  fit = () => {
    const host = this.host();
    if (host?.clientWidth && host.clientHeight) this.#chart?.resize(host.clientWidth, host.clientHeight);
  };

  /** @param {Plot} plot */
  #addChart(plot) {
    const chart = takeChart(this.host(), plot, {
      zoomed: (range) => this.zoom(range),
      reset: () => this.zoom(null),
      pointed: (at) => this.#pointer?.moved(at),
    });
    this.#chart = chart;
    this.#pointer = new ChartPointer(chart, () => queryFor(this.tag, this.#axis));
    this.#highlight(hoveredRun.peek());
  }

  #removeChart() {
    this.#pointer?.leave();
    this.#pointer = null;
    if (this.#chart) releaseChart(this.#chart);
    this.#chart = null;
  }

  /** @param {Window | null} range null = all points */
  zoom(range) {
    zoomTo(this.tag, this.plot?.axis ?? pageAxis.peek(), range);
  }

  /** What is drawn, in short: benchmarks and tests wait for it. */
  #publishCounts() {
    const { plot } = this;
    const lines = plot?.lines ?? [];
    const feeds = this.parts?.all.peek().map(({ feed }) => feed) ?? [];
    Object.assign(this.dataset, {
      drawnPoints: lines.reduce((sum, line) => sum + line.xs.length, 0),
      total: lines.reduce((sum, { series }) => sum + series.total - series.duplicates, 0),
      axis: plot?.axis ?? "",
      window: plot?.x.join(",") ?? "",
      revision: feeds[0]?.revision ?? 0,
      pending: feeds.some((feed) => feed.pending.size),
    });
  }

  /** What is drawn, in detail. */
  debugState() {
    const { plot } = this;
    const lines = plot?.lines ?? [];
    return {
      runs: [...new Set(lines.map((line) => line.run))],
      lines: lines.map(({ run, kin = [], side }) => [run, ...kin, ...(side === "right" ? [side] : [])]),
      heights: plot?.y ?? null,
      flags: lines.flatMap(({ run, flag }) => (flag ? [[run, flag.step, flag.y]] : [])),
      beyond: plot ? beyondLimits(plot).flatMap((limit) => limit.lines.map(({ run }) => run)) : [],
    };
  }
}

customElements.define("scalar-card", ScalarCard);
