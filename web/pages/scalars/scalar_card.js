// A card: one tag, one chart. It fetches and draws only while it is in or near the viewport.

import { computed, effect } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { followChart } from "../../controls/lines/chart_view.js";
import { axisFor, beyondLimits, plotOf } from "../../controls/lines/line_plot.js";
import { forget, remember } from "../../controls/recent_cards.js";
import { noteGroups } from "../../data/groups/received_groups.js";
import { zoomBox } from "../../data/series/ranges.js";
import { queriesChanged } from "../../data/series/series_requests.js";
import { xOf } from "../../data/series/x_axis.js";
import { cardFrame } from "./card_frame.js";
import { plotSettings, queryFor } from "./card_model.js";
import { CardParts } from "./card_parts.js";

/** @typedef {import("../../charts/plot.js").Plot} Plot */

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

export class ScalarCard extends HTMLElement {
  /** @type {Array<() => void>} */
  #ends = [];
  /** The plot that is drawn or scheduled. @type {Plot | null} */
  plot = null;
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
    const axis = computed(() => axisFor(xOf(this.tag).axis, this.tag, own.value));
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
      effect(() => void (this.plot = plot.value)),
      followChart({
        host: () => this.querySelector(".plot"),
        plot: () => plot.value,
        query: () => queryFor(this.tag, axis.value),
        zoomed: (zoom) => this.zoom(zoom),
        drawn: () => this.#publishCounts(),
      }),
      parts.follow(),
    ];
  }

  deactivate() {
    cancelDraw(this.activateLater);
    if (!this.#ends.length) return;
    for (const end of this.#ends) end();
    this.#ends = [];
    remember(this);
  }

  /** Drops the series too; they are fetched again when the card becomes visible. */
  drop() {
    forget(this);
    this.parts?.drop();
    this.parts = null;
    render(nothing, this);
  }

  /** @param {import("../../data/view/address.js").Zoom | null} zoom null = the whole of both axes */
  zoom(zoom) {
    zoomBox(this.tag, this.plot?.axis ?? xOf(this.tag).axis, zoom);
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
