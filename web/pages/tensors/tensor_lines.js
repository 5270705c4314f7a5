// One statistic of a tensor over the steps, a line for each run.

import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { xExtent } from "../../charts/extent.js";
import { hitsAt } from "../../charts/hit_test.js";
import { LineChart } from "../../charts/line_chart.js";
import { nameOf } from "../../controls/run_row.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/plot.js").Line} Line */
/** `at` is the step that is shown. @typedef {{lines: Line[], at: number | null, theme: string, chosen: (step: number) => void}} Lines */

/** Read-outs of more runs take too much room. */
const TOLD = 6;

class TensorLines extends HTMLElement {
  /** @type {Lines | null} */
  #lines = null;
  /** @type {LineChart | null} */
  #chart = null;
  #pointed = NaN;
  /** @type {import("../../data/address.js").Window | null} */
  #zoom = null;
  #draw = () => this.draw();
  #size = new ResizeObserver(() => scheduleDraw(this.#draw));

  connectedCallback() {
    this.#size.observe(this);
  }

  disconnectedCallback() {
    this.#size.disconnect();
    cancelDraw(this.#draw);
    this.#chart?.destroy();
    this.#chart = null;
  }

  /** @param {Lines} lines */
  set lines(lines) {
    this.#lines = lines;
    scheduleDraw(this.#draw);
  }

  draw() {
    const host = /** @type {HTMLElement | null} */ (this.querySelector(".plot"));
    const { lines = [], at = null } = this.#lines ?? {};
    const x = this.#zoom ?? xExtent(lines.map(({ xs }) => xs));
    if (!host?.clientWidth || !x) return;
    const plot = { lines, axis: /** @type {const} */ ("step"), log: false, x };
    if (this.#chart) {
      this.#chart.resize(host.clientWidth, host.clientHeight);
      this.#chart.draw(plot);
    } else this.#chart = new LineChart(host, plot, this.#listener(host));
    this.#chart.showCrosshair(at);
    this.dataset.drawnPoints = String(lines.reduce((sum, { xs }) => sum + xs.length, 0));
    this.dataset.values = lines[0] ? Array.from(lines[0].ys).join(",") : "";
  }

  /** @param {HTMLElement} host @returns {import("../../charts/line_chart.js").ChartListener} */
  #listener(host) {
    host.onclick = () => this.#choose();
    const zoom = (/** @type {import("../../data/address.js").Window | null} */ window) => {
      this.#zoom = window;
      scheduleDraw(this.#draw);
    };
    return { zoomed: zoom, reset: () => zoom(null), pointed: (point) => this.#point(point) };
  }

  /** @param {{left: number, top: number} | null} point */
  #point(point) {
    const chart = this.#chart;
    if (!chart) return;
    this.#pointed = point ? chart.xAt(point.left) : NaN;
    const hits = point ? hitsAt(this.#lines?.lines ?? [], this.#pointed, 1 / chart.edges().ratio) : [];
    chart.showCrosshair(hits.length ? hits[0].line.xs[hits[0].index] : (this.#lines?.at ?? null));
    const line = this.querySelector(".tensor-read-out");
    const told = hits
      .slice(0, TOLD)
      .map((hit) => `${hits.length > 1 ? `${nameOf(hit.line.run)} ` : ""}${shortNumber(hit.line.ys[hit.index], 5)}`);
    if (line)
      line.textContent = hits.length
        ? `${t("step.at", { step: grouped(hits[0].line.xs[hits[0].index]) })}   ${told.join("   ")}`
        : "";
  }

  /** A click on the chart shows the step under it. */
  #choose() {
    const lines = this.#lines;
    const [hit] = this.#chart && lines ? hitsAt(lines.lines, this.#pointed, 1 / this.#chart.edges().ratio) : [];
    if (hit) lines?.chosen(hit.line.xs[hit.index]);
  }
}

customElements.define("tensor-lines", TensorLines);
