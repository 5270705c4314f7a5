// A scatter plot: two values of each visible run, hyperparameters or metrics.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { cancelDraw, scheduleDraw } from "../../../charts/draw_queue.js";
import { nameOf } from "../../../controls/run_name.js";
import { correlation } from "../../../controls/run_plots/columns.js";
import { drawScatter, pointsOf, rowAt } from "../../../controls/run_plots/scatter_plot.js";
import { visibleRuns } from "../../../data/runs/runs.js";
import { hoveredRun, panel } from "../../../data/view/pointer.js";
import { theme } from "../../../data/view/view.js";
import { parseColumn } from "../model/column_names.js";
import { t } from "../words.js";
import { PanelElement } from "./panel_element.js";
import { rows, runColours, scaleFor } from "./run_table_columns.js";
import { valuesError, wantColumns } from "./run_values.js";
import { columnText, valueText } from "./value_text.js";

/** The cursor points at a point within so many pixels. */
const HIT_DISTANCE = 14;

const accent = computed(
  () => theme.value && getComputedStyle(document.documentElement).getPropertyValue("--accent").trim(),
);

/** @param {unknown} value */
const flag = (value) => (typeof value === "boolean" ? value : undefined);

class ScatterPanel extends PanelElement {
  #points = new Float32Array();
  #size = signal({ width: 0, height: 0 });

  begin() {
    const names = computed(() => [parseColumn(this.settings.value.x), parseColumn(this.settings.value.y)]);
    const scatter = computed(() => {
      const [x, y] = names.value;
      if (!x || !y) return null;
      const [across, up] = [scaleFor(x, flag(this.settings.value.log_x)), scaleFor(y, flag(this.settings.value.log))];
      return {
        x: across,
        y: up,
        rows: rows.value,
        kept: rows.value,
        colours: runColours.value,
        sizes: null,
        accent: accent.value,
      };
    });
    const draw = () => this.#draw(scatter.peek());
    const resize = new ResizeObserver(() => this.#measure());
    return [
      wantColumns(this, () => names.value),
      effect(() => {
        render(this.#template(names.value, scatter.value), this);
        const plot = this.querySelector(".scatter-plot");
        if (plot) resize.observe(plot);
      }),
      effect(() => {
        if (scatter.value && this.#size.value.width) scheduleDraw(draw);
      }),
      effect(() => this.#highlight(hoveredRun.value, scatter.value)),
      () => cancelDraw(draw),
      () => resize.disconnect(),
    ];
  }

  /** @param {Array<import("../model/column_names.js").ColumnName | null>} names
   * @param {import("../../../controls/run_plots/scatter_plot.js").Scatter | null} scatter */
  #template([x, y], scatter) {
    if (!x || !y || !scatter) return html`<div class="state">${t("ws.no_columns")}</div>`;
    if (valuesError.value) return html`<div class="state error" role="alert">${valuesError.value.message}</div>`;
    const { r, count } = correlation(scatter.x.column, scatter.y.column, rows.value);
    return html`<p class="panel-how">y: ${columnText(y)} · x: ${columnText(x)}${
      Number.isNaN(r) ? nothing : html` · <span title=${t("ws.pearson")}>r = ${r.toFixed(3)}</span>`
    }</p>
    <div class="scatter-plot" role="img" aria-label=${t("ws.scatter_of", { x: columnText(x), y: columnText(y), n: count })}
      @pointermove=${(/** @type {PointerEvent} */ event) => this.#point(event)} @pointerleave=${() => (hoveredRun.value = null)}
      @click=${() => hoveredRun.peek() && ((panel.value = { kind: "run", run: /** @type {string} */ (hoveredRun.peek()) }))}>
      <canvas></canvas><i class="ring" hidden></i><div class="scatter-tip" hidden></div></div>`;
  }

  #measure() {
    const { clientWidth: width = 0, clientHeight: height = 0 } = this.querySelector(".scatter-plot") ?? {};
    this.#size.value = { width, height };
  }

  /** @param {import("../../../controls/run_plots/scatter_plot.js").Scatter | null} scatter */
  #draw(scatter) {
    const canvas = this.querySelector("canvas");
    const { width, height } = this.#size.peek();
    if (!scatter || !canvas || !width || !height) return;
    this.#points = pointsOf(scatter, width, height);
    canvas.style.width = `${width}px`;
    this.dataset.drawnPoints = String(drawScatter(canvas, scatter, this.#points, width, height));
  }

  /** @param {PointerEvent} event */
  #point({ clientX, clientY, currentTarget }) {
    const { left, top } = /** @type {HTMLElement} */ (currentTarget).getBoundingClientRect();
    const row = rowAt(this.#points, rows.peek(), clientX - left, clientY - top, HIT_DISTANCE);
    hoveredRun.value = row === null ? null : visibleRuns.peek()[row];
  }

  /** @param {string | null} run @param {import("../../../controls/run_plots/scatter_plot.js").Scatter | null} scatter */
  #highlight(run, scatter) {
    const ring = /** @type {HTMLElement | null} */ (this.querySelector(".ring"));
    const tip = /** @type {HTMLElement | null} */ (this.querySelector(".scatter-tip"));
    if (!ring || !tip || !scatter) return;
    const row = run === null ? -1 : visibleRuns.peek().indexOf(run);
    const [x, y] = row < 0 ? [NaN, NaN] : this.#points.subarray(2 * row, 2 * row + 2);
    ring.hidden = tip.hidden = !Number.isFinite(x);
    if (ring.hidden || run === null) return;
    ring.style.translate = `${x}px ${y}px`;
    const values = [scatter.x, scatter.y].map(({ column }) => `${column.name} ${valueText(column.values[row])}`);
    tip.textContent = [nameOf(run), ...values].join("\n");
    const isRight = x > this.#size.peek().width / 2;
    tip.style.translate = `calc(${x}px + ${isRight ? "-100% - 12px" : "12px"}) ${Math.max(0, y - 20)}px`;
  }
}

customElements.define("scatter-panel", ScatterPanel);
