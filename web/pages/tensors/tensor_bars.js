// A histogram of a slice: bars, and what the bin under the cursor holds.

import { html, render } from "lit-html";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { tokens } from "../../charts/theme.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { binUnder, drawBars } from "./draw/bars.js";
import { t } from "./words.js";

/** @typedef {import("./survey.js").Histogram} Histogram */
/** @typedef {{histogram: Histogram, isLog: boolean, colour: number, label: string, theme: string, lang: string}} Bars */

class TensorBars extends HTMLElement {
  /** @type {Bars | null} */
  #bars = null;
  /** @type {number | null} */
  #at = null;
  #draw = () => this.draw();
  #size = new ResizeObserver(() => scheduleDraw(this.#draw));

  connectedCallback() {
    this.#size.observe(this);
  }

  disconnectedCallback() {
    this.#size.disconnect();
    cancelDraw(this.#draw);
  }

  /** @param {Bars} bars */
  set bars(bars) {
    if (bars.histogram !== this.#bars?.histogram) this.#at = null;
    this.#bars = bars;
    render(this.#frame(bars), this);
    scheduleDraw(this.#draw);
  }

  /** @param {Bars} bars */
  #frame({ histogram, label }) {
    const { counts } = histogram;
    return html`
      <canvas role="img" aria-label=${label} tabindex="0" @pointermove=${(/** @type {PointerEvent} */ event) => this.#point(binUnder(counts.length, event.offsetX, this.clientWidth))}
        @pointerleave=${() => this.#point(null)} @keydown=${(/** @type {KeyboardEvent} */ event) => this.#pressed(event)}></canvas>
      <p class="tensor-read-out" aria-live="polite"></p>
      <div class="in-words"><table><caption>${label}</caption>
        ${Array.from(counts, (count, bin) => html`<tr><th scope="row">${this.#range(bin)}</th><td>${count}</td></tr>`)}</table></div>`;
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const last = (this.#bars?.histogram.counts.length ?? 0) - 1;
    if (!by || last < 0) return;
    event.preventDefault();
    this.#point(Math.max(0, Math.min(last, this.#at === null ? 0 : this.#at + by)));
  }

  /** @param {number | null} bin */
  #point(bin) {
    if (bin === this.#at) return;
    this.#at = bin;
    scheduleDraw(this.#draw);
  }

  /** @param {number} bin */
  #range(bin) {
    const { lo, width, isWhole } = /** @type {Bars} */ (this.#bars).histogram;
    const [from, to] = [lo + bin * width, lo + (bin + 1) * width];
    if (isWhole) return width === 1 ? String(from + 0.5) : `${grouped(from + 0.5)} … ${grouped(to - 0.5)}`;
    return `${shortNumber(from, 5)} … ${shortNumber(to, 5)}`;
  }

  draw() {
    const canvas = this.querySelector("canvas");
    if (!this.#bars || !canvas || !canvas.clientWidth) return;
    const { histogram, isLog, colour } = this.#bars;
    const size = { width: canvas.clientWidth, height: canvas.clientHeight };
    if (histogram.counts.length)
      drawBars(canvas, histogram, size, { isLog, colour: tokens().palette[colour], at: this.#at });
    this.dataset.counts = histogram.counts.join(",");
    const line = /** @type {HTMLElement} */ (this.querySelector(".tensor-read-out"));
    const count = this.#at === null ? 0 : histogram.counts[this.#at];
    line.textContent =
      this.#at === null
        ? t("tensor.point_bin")
        : `${this.#range(this.#at)}   ${t("tensor.bin", { n: grouped(count), percent: shortNumber((100 * count) / histogram.extent.finite, 3) })}`;
  }
}

customElements.define("tensor-bars", TensorBars);
