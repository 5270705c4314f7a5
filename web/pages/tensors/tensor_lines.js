// A line chart of one statistic of a tensor over the steps, with a line for each run.

import { xExtent } from "../../charts/extent.js";
import { hitsAt } from "../../charts/hit_test.js";
import { LineChart } from "../../charts/line_chart.js";
import { shortNameOf } from "../../controls/run_name.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { DrawnElement } from "./drawn_element.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/plot.js").Line} Line */
/** @typedef {import("../../data/view/address.js").Window} Window */
/**
 * `onStep` is called with the step that is clicked.
 * @typedef {{lines: Line[], shownStep: number | null, theme: string, onStep: (step: number) => void}} Lines
 */

/** The read-out has room for the values of so many runs. */
const MAX_VALUES = 6;

class TensorLines extends DrawnElement {
  /** @type {Lines | null} */
  #lines = null;
  /** @type {LineChart | null} */
  #chart = null;
  #pointedX = NaN;
  /** @type {Window | null} */
  #zoom = null;

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#chart?.destroy();
    this.#chart = null;
  }

  /** @param {Lines} lines */
  set lines(lines) {
    this.#lines = lines;
    this.scheduleDraw();
  }

  /** The values of the first line, for tests. */
  debugState() {
    return { values: Array.from(this.#lines?.lines[0]?.ys ?? []) };
  }

  draw() {
    const host = /** @type {HTMLElement | null} */ (this.querySelector(".plot"));
    const { lines = [], shownStep = null } = this.#lines ?? {};
    const x = this.#zoom ?? xExtent(lines.map(({ xs }) => xs));
    if (!host?.clientWidth || !x) return;
    const plot = { lines, axis: /** @type {const} */ ("step"), log: false, x };
    if (this.#chart) {
      this.#chart.resize(host.clientWidth, host.clientHeight);
      this.#chart.draw(plot);
    } else this.#chart = new LineChart(host, plot, this.#listener(host));
    this.#chart.showCrosshair(shownStep);
    this.dataset.drawnPoints = String(lines.reduce((sum, { xs }) => sum + xs.length, 0));
  }

  /** @param {HTMLElement} host @returns {import("../../charts/line_chart.js").ChartListener} */
  #listener(host) {
    host.onclick = () => this.#onClick();
    const zoom = (/** @type {Window | null} */ window) => {
      this.#zoom = window;
      this.scheduleDraw();
    };
    return { zoomed: ({ x }) => x && zoom(x), reset: () => zoom(null), pointed: (point) => this.#onPoint(point) };
  }

  /** @param {{left: number, top: number} | null} point */
  #onPoint(point) {
    const chart = this.#chart;
    if (!chart) return;
    this.#pointedX = point ? chart.xAt(point.left) : NaN;
    const hits = point ? this.#hits(chart) : [];
    const step = hits.length ? hits[0].line.xs[hits[0].index] : null;
    chart.showCrosshair(step ?? this.#lines?.shownStep ?? null);
    const readOut = this.querySelector(".tensor-read-out");
    const values = hits
      .slice(0, MAX_VALUES)
      .map(
        (hit) => `${hits.length > 1 ? `${shortNameOf(hit.line.run)} ` : ""}${shortNumber(hit.line.ys[hit.index], 5)}`,
      );
    if (readOut)
      readOut.textContent = step === null ? "" : `${t("step.at", { step: grouped(step) })}   ${values.join("   ")}`;
  }

  /** @param {LineChart} chart */
  #hits(chart) {
    return hitsAt(this.#lines?.lines ?? [], this.#pointedX, 1 / chart.edges().ratio);
  }

  #onClick() {
    const [hit] = this.#chart ? this.#hits(this.#chart) : [];
    if (hit) this.#lines?.onStep(hit.line.xs[hit.index]);
  }
}

customElements.define("tensor-lines", TensorLines);
