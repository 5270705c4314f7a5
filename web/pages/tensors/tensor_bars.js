// A histogram of a slice as bars, with the range and count of the bin under the cursor.

import { html, render } from "lit-html";
import { tokens } from "../../charts/theme.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { binAt, drawBars } from "./draw/bars.js";
import { DrawnElement } from "./drawn_element.js";
import { t } from "./words.js";

/** @typedef {import("./measurement.js").Histogram} Histogram */
/**
 * @typedef {{histogram: Histogram, isLog: boolean, colour: number, label: string, theme: string, lang: string}} Bars
 */

class TensorBars extends DrawnElement {
  /** @type {Bars | null} */
  #bars = null;
  /** @type {number | null} */
  #pointedBin = null;

  /** @param {Bars} bars */
  set bars(bars) {
    if (bars.histogram !== this.#bars?.histogram) this.#pointedBin = null;
    this.#bars = bars;
    render(this.#template(bars), this);
    this.scheduleDraw();
  }

  /** The counts of the bins, for tests. */
  debugState() {
    return { counts: Array.from(this.#bars?.histogram.counts ?? []) };
  }

  /** @param {Bars} bars */
  #template({ histogram: { counts }, label }) {
    const moved = (/** @type {PointerEvent} */ { offsetX }) =>
      this.#pointAt(binAt(counts.length, offsetX, this.clientWidth));
    const row = (/** @type {number} */ count, /** @type {number} */ bin) =>
      html`<tr><th scope="row">${this.#rangeText(bin)}</th><td>${count}</td></tr>`;
    return html`
      <canvas role="img" aria-label=${label} tabindex="0" @pointermove=${moved}
        @pointerleave=${() => this.#pointAt(null)}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#onKeyDown(event)}></canvas>
      <p class="tensor-read-out" aria-live="polite"></p>
      <div class="in-words"><table><caption>${label}</caption>${Array.from(counts, row)}</table></div>`;
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown(event) {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const last = (this.#bars?.histogram.counts.length ?? 0) - 1;
    if (!by || last < 0) return;
    event.preventDefault();
    this.#pointAt(Math.max(0, Math.min(last, this.#pointedBin === null ? 0 : this.#pointedBin + by)));
  }

  /** @param {number | null} bin */
  #pointAt(bin) {
    if (bin === this.#pointedBin) return;
    this.#pointedBin = bin;
    this.scheduleDraw();
  }

  /** @param {number} bin */
  #rangeText(bin) {
    const { lo, width, isWhole } = /** @type {Bars} */ (this.#bars).histogram;
    const [from, to] = [lo + bin * width, lo + (bin + 1) * width];
    if (isWhole) return width === 1 ? String(from + 0.5) : `${grouped(from + 0.5)} … ${grouped(to - 0.5)}`;
    return `${shortNumber(from, 5)} … ${shortNumber(to, 5)}`;
  }

  draw() {
    const canvas = this.querySelector("canvas");
    if (!this.#bars || !canvas?.clientWidth) return;
    const { histogram, isLog, colour } = this.#bars;
    const { counts } = histogram;
    const size = { width: canvas.clientWidth, height: canvas.clientHeight };
    const style = { isLog, colour: tokens().palette[colour], pointedBin: this.#pointedBin };
    if (counts.length) drawBars(canvas, histogram, size, style);
    this.dataset.drawnBins = String(counts.length);
    const readOut = /** @type {HTMLElement} */ (this.querySelector(".tensor-read-out"));
    readOut.textContent = this.#pointedBin === null ? t("tensor.point_bin") : this.#binText(this.#pointedBin);
  }

  /** @param {number} bin */
  #binText(bin) {
    const { counts, extent } = /** @type {Bars} */ (this.#bars).histogram;
    const percent = shortNumber((100 * counts[bin]) / extent.finite, 3);
    return `${this.#rangeText(bin)}   ${t("tensor.bin", { n: grouped(counts[bin]), percent })}`;
  }
}

customElements.define("tensor-bars", TensorBars);
