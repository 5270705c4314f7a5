// A scatter plot of two columns with a point for each run, and a third column as colour or size.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { choice } from "../../controls/choice.js";
import { nameOf } from "../../controls/run_name.js";
import { correlation } from "../../controls/run_plots/columns.js";
import { drawScatter, pointsOf, rowAt } from "../../controls/run_plots/scatter_plot.js";
import { hoveredRun } from "../../data/view/pointer.js";
import { set, theme } from "../../data/view/view.js";
import { grouped, plainText, shortNumber } from "../../i18n/numbers.js";
import { columnSelect } from "./column_select.js";
import { LineageElement } from "./lineage_element.js";
import { openPointedRun } from "./open_pointed_run.js";
import { columnColours, lineColours } from "./run_colours.js";
import { thirdEncoding } from "./settings.js";
import { columns, keptRows, rowOf, scaleFor, scatterColumns, sources, visibleRows } from "./state.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/run_plots/scatter_plot.js").Scatter} Scatter */

const HEIGHT = 320;
/** The cursor points at a point within so many pixels. */
const HIT_DISTANCE = 14;

const scatterWidth = signal(0);

const accent = computed(
  () => theme.value && getComputedStyle(document.documentElement).getPropertyValue("--accent").trim(),
);

/** @type {import("@preact/signals-core").ReadonlySignal<Scatter | null>} */
const scatter = computed(() => {
  const { x, y, third } = scatterColumns.value;
  if (!x || !y) return null;
  const isSize = thirdEncoding.value === "size" && third?.isNumber;
  return {
    x: scaleFor(x),
    y: scaleFor(y),
    rows: visibleRows.value,
    kept: keptRows.value,
    colours: third && !isSize ? columnColours(third) : lineColours.value,
    sizes: isSize && third ? scaleFor(third).places : null,
    accent: accent.value,
  };
});

class LineageScatter extends LineageElement {
  #points = new Float32Array();
  #draw = () => this.#drawNow();

  /** @param {number} width */
  measure(width) {
    scatterWidth.value = width;
  }

  begin() {
    return [
      this.followSize(),
      effect(() => {
        if (scatter.value && scatterWidth.value) scheduleDraw(this.#draw);
      }),
      effect(() => this.#highlight(rowOf.value.get(hoveredRun.value ?? ""))),
      () => cancelDraw(this.#draw),
    ];
  }

  template() {
    const { x, y, third } = scatterColumns.value;
    scheduleDraw(this.#draw); // The rendering may have created a new canvas.
    const correlated = x && y ? correlation(x, y, keptRows.value) : null;
    return html`
      <header><h2>${t("lineage.scatter")}</h2>
        ${
          correlated && !Number.isNaN(correlated.r)
            ? html`<span class="meta" data-r=${correlated.r}
              title=${t("lineage.pearson")}>r = ${correlated.r.toFixed(3)}</span>`
            : nothing
        }</header>
      <div class="scatter-choices">
        <label>y ${columnSelect("y", t("lineage.scatter_y"), [...columns.value.values()], y?.id ?? "", (id) =>
          set({ "lineage.y": id }),
        )}</label>
        <label>x ${columnSelect("x", t("lineage.scatter_x"), [...columns.value.values()], x?.id ?? "", (id) =>
          set({ "lineage.x": id }),
        )}</label>
        <label>${choice(
          "third",
          t("lineage.third"),
          [
            ["", t("lineage.third_colour")],
            ["size", t("lineage.third_size")],
          ],
          thirdEncoding.value,
          (value) => set({ "lineage.third": value }),
        )}
          ${columnSelect(
            "colour",
            t("lineage.third"),
            [...columns.value.values()],
            third?.id ?? "",
            (id) => set({ "lineage.colour": id }),
            t("lineage.same_as_lines"),
          )}</label>
      </div>
      ${
        x && y
          ? html`<div class="scatter-plot" role="img"
            aria-label=${t("lineage.scatter_of", { x: x.name, y: y.name, n: grouped(correlated?.count ?? 0) })}
            style="height:${HEIGHT}px"
        @pointermove=${(/** @type {PointerEvent} */ event) => this.#onPointerMove(event)}
        @pointerleave=${() => (hoveredRun.value = null)} @click=${openPointedRun}>
        <canvas></canvas><i class="ring" hidden></i><div class="scatter-tip" hidden></div></div>`
          : html`<p class="hint">${t("lineage.no_axes")}</p>`
      }`;
  }

  #plotSize() {
    const plot = /** @type {HTMLElement | null} */ (this.querySelector(".scatter-plot"));
    return { plot, width: plot?.clientWidth ?? 0 };
  }

  #drawNow() {
    const now = scatter.peek();
    const { plot, width } = this.#plotSize();
    const canvas = plot?.querySelector("canvas");
    if (!now || !canvas || !width || !plot) return;
    this.#points = pointsOf(now, width, HEIGHT);
    canvas.style.width = `${width}px`;
    plot.dataset.drawnPoints = String(drawScatter(canvas, now, this.#points, width, HEIGHT));
    plot.dataset.x = now.x.column.id;
    plot.dataset.y = now.y.column.id;
  }

  /** @param {PointerEvent} event */
  #onPointerMove({ clientX, clientY, currentTarget }) {
    const { left, top } = /** @type {HTMLElement} */ (currentTarget).getBoundingClientRect();
    const row = rowAt(this.#points, keptRows.peek(), clientX - left, clientY - top, HIT_DISTANCE);
    hoveredRun.value = row === null ? null : sources.peek()[row].run;
  }

  /** @param {number | undefined} row */
  #highlight(row) {
    const ring = /** @type {HTMLElement | null} */ (this.querySelector(".ring"));
    const tip = /** @type {HTMLElement | null} */ (this.querySelector(".scatter-tip"));
    const now = scatter.peek();
    if (!ring || !tip || !now) return;
    const [x, y] = row === undefined ? [NaN, NaN] : this.#points.subarray(2 * row, 2 * row + 2);
    ring.hidden = tip.hidden = !Number.isFinite(x);
    if (ring.hidden || row === undefined) return;
    ring.style.translate = `${x}px ${y}px`;
    const values = [now.x, now.y].map(({ column }) => `${column.name} ${valueText(column.values[row])}`);
    tip.textContent = [nameOf(sources.peek()[row].run), ...values].join("\n");
    const isRight = x > this.#plotSize().width / 2;
    tip.style.translate = `calc(${x}px + ${isRight ? "-100% - 12px" : "12px"}) ${Math.max(0, y - 20)}px`;
  }
}

/** @param {import("../../controls/run_plots/columns.js").Value} value */
const valueText = (value) =>
  value === null ? "–" : typeof value === "number" ? shortNumber(value, 6) : plainText(value);

customElements.define("lineage-scatter", LineageScatter);
