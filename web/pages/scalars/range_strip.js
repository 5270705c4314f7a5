// The strip under an enlarged chart: all points in small, with a brush over the range that the chart shows.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { between, moved, stepOfKey, unitScale } from "../../charts/brush.js";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { yExtent } from "../../charts/extent.js";
import { linePath } from "../../charts/paths.js";
import { projection } from "../../charts/plot.js";
import { tokens } from "../../charts/theme.js";
import { drawnSeries, plotOf } from "../../controls/lines/line_plot.js";
import { Feed } from "../../data/series/card_series.js";
import { rangeOf } from "../../data/series/ranges.js";
import { observeFeed, queriesChanged, unobserveFeed } from "../../data/series/series_requests.js";
import { theme } from "../../data/view/view.js";
import { plotSettings, queryFor } from "./card_model.js";
import { positionName } from "./range_names.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/brush.js").Part} UnitRange */
/** @typedef {import("../../charts/brush.js").Grip} Grip */
/** @typedef {import("../../charts/plot.js").Plot} Plot */
/** @typedef {import("../../charts/ticks.js").Axis} Axis */
/** @typedef {import("./scalar_card.js").ScalarCard} ScalarCard */

/** Milliseconds after the last key press before the chart is zoomed. */
const KEY_REST = 300;
/** Shorter drags are clicks, in pixels. */
const CLICK = 4;

class RangeStrip extends HTMLElement {
  /** @type {import("@preact/signals-core").Signal<ScalarCard | null>} */
  #card = signal(null);
  #axis = signal(/** @type {Axis} */ ("step"));
  /** All points while the chart shows a part of them. @type {Feed | null} */
  #wholeFeed = null;
  /** The last plot of all points: it stays until the next one is fetched. @type {Plot | null} */
  #last = null;
  /** The brush during a drag or while keys are pressed. @type {import("@preact/signals-core").Signal<UnitRange | null>} */
  #moving = signal(null);
  #rest = 0;
  /** @type {Array<() => void>} */
  #ends = [];
  #draw = () => this.#drawLines();
  #size = new ResizeObserver(() => scheduleDraw(this.#draw));

  /** @param {ScalarCard} card */
  set card(card) {
    this.#card.value = card;
  }

  /** @param {Axis} axis */
  set axis(axis) {
    this.#axis.value = axis;
  }

  #tag = computed(() => this.#card.value?.tag ?? "");
  /** The range of the chart; null = all points. */
  #range = computed(() => rangeOf(this.#tag.value, this.#axis.value));
  #plot = computed(() => this.#plotOfAll() ?? this.#last);
  /** The brush; null = there is none. @type {import("@preact/signals-core").ReadonlySignal<UnitRange | null>} */
  #brush = computed(() => {
    const [plot, range] = [this.#plot.value, this.#range.value];
    if (this.#moving.value || !plot || !range) return this.#moving.value;
    const { toUnit } = unitScale(plot.x, plot.logX ?? false);
    return [toUnit(range[0]), toUnit(range[1])];
  });

  connectedCallback() {
    this.#ends = [
      effect(() => this.#followWhole()),
      effect(() => void render(this.#template(), this)),
      effect(() => {
        this.#last = this.#plot.value;
        theme.value;
        scheduleDraw(this.#draw);
      }),
    ];
    this.#size.observe(this);
  }

  disconnectedCallback() {
    for (const end of this.#ends.splice(0)) end();
    cancelDraw(this.#draw);
    clearTimeout(this.#rest);
    this.#size.disconnect();
    if (this.#wholeFeed) unobserveFeed(this.#wholeFeed);
  }

  /** Fetches all points while the chart shows a part of them: else it has them. */
  #followWhole() {
    const feed = (this.#wholeFeed ??= new Feed(this.#tag.value));
    if (!this.#range.value) return unobserveFeed(feed);
    if (feed.setQuery({ ...queryFor(this.#tag.value, this.#axis.value), window: null })) queriesChanged();
    observeFeed(feed);
  }

  #plotOfAll() {
    const card = this.#card.value;
    const own = card?.parts?.all.value[0];
    const feed = this.#range.value ? this.#wholeFeed : own?.feed;
    if (!own || !feed) return null;
    const settings = { ...plotSettings(own.tag, this.#axis.value), window: null, y: undefined, limits: [] };
    return plotOf([{ ...own, feed, series: drawnSeries(feed) }], settings);
  }

  #drawLines() {
    const canvas = this.querySelector("canvas");
    const plot = this.#plot.peek();
    const context = canvas?.getContext("2d");
    if (!canvas || !context || !canvas.clientWidth) return;
    canvas.width = Math.round(canvas.clientWidth * devicePixelRatio);
    canvas.height = Math.round(canvas.clientHeight * devicePixelRatio);
    if (!plot) return;
    const { lines, log, logX } = plot;
    const all = lines.map((line) => ({ xs: line.xs, columns: [line.ys] }));
    const y = yExtent(all, plot.x, { log, isRobust: true });
    const to = projection(plot.x, y, log, canvas.width, canvas.height, devicePixelRatio, logX);
    context.lineWidth = 1;
    for (const line of lines) {
      context.strokeStyle = tokens().palette[line.style.colour];
      context.stroke(linePath(line.xs, line.ys, to).path);
    }
  }

  #template() {
    const plot = this.#plot.value;
    if (!plot) return nothing;
    const [lo, hi] = this.#brush.value ?? [0, 1];
    const percent = (/** @type {number} */ unit) => `${(100 * unit).toFixed(3)}%`;
    return html`<div class="strip" role="group" aria-label=${t("range.strip")} data-brushed=${this.#brush.value !== null}
      @pointerdown=${(/** @type {PointerEvent} */ event) => this.#pressed(event)}
      @keydown=${(/** @type {KeyboardEvent} */ event) => this.#keyed(event)} @dblclick=${() => this.#card.peek()?.zoom(null)}>
      <canvas aria-hidden="true"></canvas>
      <div class="strip-shade" style="left:0;width:${percent(lo)}"></div>
      <div class="strip-shade" style="left:${percent(hi)};right:0"></div>
      ${this.#slider("both", t("range.move"), plot, [lo, hi], `left:${percent(lo)};width:${percent(hi - lo)}`)}
      ${this.#slider("lo", t("range.start"), plot, [lo, hi], `left:${percent(lo)}`)}
      ${this.#slider("hi", t("range.end"), plot, [lo, hi], `left:${percent(hi)}`)}
    </div>`;
  }

  /** @param {Grip} grip @param {string} label @param {Plot} plot @param {UnitRange} brush @param {string} style */
  #slider(grip, label, plot, [lo, hi], style) {
    const { fromUnit } = unitScale(plot.x, plot.logX ?? false);
    const name = (/** @type {number} */ unit) => positionName(fromUnit(unit), plot.axis);
    const text = grip === "both" ? `${name(lo)} – ${name(hi)}` : name(grip === "lo" ? lo : hi);
    const [now, most] = grip === "both" ? [lo, 1 - (hi - lo)] : [grip === "lo" ? lo : hi, 1];
    return html`<div class=${grip === "both" ? "strip-brush" : "strip-edge"} data-grip=${grip} role="slider" tabindex="0"
      aria-label=${label} title=${text} aria-valuetext=${text} aria-valuemin="0" aria-valuemax=${Math.round(1000 * most)}
      aria-valuenow=${Math.round(1000 * now)} style=${style}></div>`;
  }

  /** @param {PointerEvent} event */
  #pressed(event) {
    if (event.button !== 0) return;
    const strip = /** @type {HTMLElement} */ (event.currentTarget);
    const box = strip.getBoundingClientRect();
    const unitAt = (/** @type {PointerEvent} */ { clientX }) => (clientX - box.left) / box.width;
    const start = unitAt(event);
    const before = this.#brush.peek();
    const grip = /** @type {Grip | undefined} */ (/** @type {HTMLElement} */ (event.target).dataset.grip);
    const isDrawing = !grip || (grip === "both" && !before);
    strip.setPointerCapture(event.pointerId);
    const move = (/** @type {PointerEvent} */ now) => {
      if (Math.abs(now.clientX - event.clientX) < CLICK && !this.#moving.peek()) return;
      const at = unitAt(now);
      this.#moving.value = isDrawing ? between(start, at) : moved(before ?? [0, 1], grip, at - start);
    };
    const listening = new AbortController();
    const end = () => {
      listening.abort();
      this.#commit();
    };
    strip.addEventListener("pointermove", move, listening);
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"]))
      strip.addEventListener(name, end, listening);
  }

  /** @param {KeyboardEvent} event */
  #keyed(event) {
    const { grip } = /** @type {HTMLElement} */ (event.target).dataset;
    const by = stepOfKey(event.key, event.shiftKey);
    if (!grip || by === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.#moving.value = moved(this.#brush.peek() ?? [0, 1], /** @type {Grip} */ (grip), by);
    clearTimeout(this.#rest);
    this.#rest = window.setTimeout(() => this.#commit(), KEY_REST);
  }

  /** Zooms the chart to the brush; a brush over everything, to all points. */
  #commit() {
    const [plot, brush] = [this.#plot.peek(), this.#moving.peek()];
    if (plot && brush) {
      const { fromUnit } = unitScale(plot.x, plot.logX ?? false);
      const round =
        plot.axis === "step" || plot.axis === "relative_step"
          ? Math.round
          : (/** @type {number} */ x) => Math.round(x * 1e6) / 1e6;
      const [lo, hi] = brush.map((unit) => round(fromUnit(unit)));
      const isWhole = brush[0] <= 0 && brush[1] >= 1;
      if (isWhole || lo < hi) this.#card.peek()?.zoom({ x: isWhole ? null : [lo, hi] });
    }
    this.#moving.value = null;
  }
}

customElements.define("range-strip", RangeStrip);
