// Parallel coordinates: an axis for each column, a line for each run.

import { effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { repeat } from "lit-html/directives/repeat.js";
import { styleMap } from "lit-html/directives/style-map.js";
import { choice } from "../../controls/choice.js";
import { hoveredRun } from "../../data/pointer.js";
import { set } from "../../data/view.js";
import { language } from "../../i18n/language.js";
import { shortNumber } from "../../i18n/numbers.js";
import { axes, axesWidth, BEFORE, BEHIND, frame, spacing } from "./axes.js";
import { axis } from "./axis.js";
import { columnMenu } from "./column_menu.js";
import { pathOf, rowUnder } from "./draw/parallel_axes.js";
import { openPointed } from "./open_pointed.js";
import { LineagePart } from "./part.js";
import { isLog, liveRows, rowOf, sources, target } from "./rows.js";
import { shades } from "./run_colours.js";
import { brushes, clearBrushes, lineInk } from "./settings.js";
import { t } from "./words.js";
import "./strip.js";

/** Pixels from a line at which it is pointed at. */
const REACH = 8;

class LineageAxes extends LineagePart {
  #frame = 0;

  /** @param {number} width */
  measure(width) {
    axesWidth.value = width;
  }

  begin() {
    return [
      this.followSize(),
      effect(() => this.#standOut(rowOf.value.get(hoveredRun.value ?? ""))),
      () => cancelAnimationFrame(this.#frame),
    ];
  }

  template() {
    const all = axes.value;
    const width = BEFORE + BEHIND + spacing.value * Math.max(0, all.length - 1);
    return html`
      <header>
        <h2>${t("lineage.axes_title")}</h2>
        ${legend()}
        <span class="space"></span>
        ${brushes.value.size ? html`<button class="text" data-key="clear-brushes" @click=${clearBrushes}>${t("lineage.clear_brushes", { n: brushes.value.size })}</button>` : nothing}
        ${choice(
          "lines",
          t("lineage.lines"),
          [
            ["", t("lineage.by_target")],
            ["run", t("lineage.by_run")],
          ],
          lineInk.value,
          (value) => set({ "lineage.lines": value }),
        )}
        ${columnMenu("axes")}
      </header>
      <div class="axes-scroll" role="region" tabindex="0" aria-label=${t("lineage.axes_title")}>
        ${
          all.length
            ? html`<div class="axes-plot" style=${styleMap({ width: `${width}px` })}>
          <div class="strips" style=${styleMap({ left: `${BEFORE}px`, height: `${frame.value.height}px`, width: `${spacing.value * (all.length - 1)}px` })}
            @pointermove=${(/** @type {PointerEvent} */ event) => this.#pointed(event)} @pointerleave=${() => this.#left()} @click=${openPointed}>
            ${axesWidth.value ? strips() : nothing}
            <svg class="pointed-line" aria-hidden="true"><path/><path/></svg>
          </div>
          ${repeat(
            all,
            ({ column }) => column.id,
            (scale, at) => guard(axisShows(scale, at), () => axis(scale, at)),
          )}
        </div>`
            : html`<p class="hint">${t("lineage.no_axes")}</p>`
        }
      </div>`;
  }

  /** @param {PointerEvent} event */
  #pointed({ clientX, clientY, currentTarget, buttons }) {
    if (buttons) return;
    const { left, top } = /** @type {HTMLElement} */ (currentTarget).getBoundingClientRect();
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      const row = rowUnder(
        places(),
        liveRows.peek(),
        clientX - left,
        clientY - top,
        spacing.peek(),
        frame.peek(),
        REACH,
      );
      hoveredRun.value = row === null ? null : sources.peek()[row].run;
    });
  }

  #left() {
    cancelAnimationFrame(this.#frame);
    hoveredRun.value = null;
  }

  /** @param {number | undefined} row */
  #standOut(row) {
    const path =
      row === undefined
        ? ""
        : pathOf(
            axes.value.map((one) => one.places),
            row,
            spacing.value,
            frame.value,
          );
    for (const line of this.querySelectorAll(".pointed-line path")) line.setAttribute("d", path);
    this.dataset.pointed = row === undefined ? "" : sources.peek()[row].run;
  }
}

/** Everything that an axis shows: while one is brushed the others are not laid out again.
 * @param {import("./axes.js").Scale} scale @param {number} at */
const axisShows = (scale, at) => [
  scale,
  at,
  brushes.value.get(scale.column.id),
  frame.value,
  spacing.value,
  target.value?.id === scale.column.id,
  language.value,
];

const places = () => axes.peek().map((scale) => scale.places);

/** Strips of neighbours; of one place is one strip, whichever axes stand beside it. */
const strips = () =>
  axes.value
    .slice(1)
    .map(
      (_, at) =>
        html`<lineage-strip .place=${at} style=${styleMap({ left: `${at * spacing.value}px`, width: `${spacing.value}px` })}></lineage-strip>`,
    );

/** What the colours of the lines say. */
function legend() {
  const column = target.value;
  if (lineInk.value || !column || !Number.isFinite(column.lo)) return nothing;
  return html`<span class="shades" data-target=${column.id}><b>${column.name}</b> ${shortNumber(column.lo, 4)}
    <i style=${styleMap({ background: `linear-gradient(90deg, ${shades.value.join(",")})` })}></i> ${shortNumber(column.hi, 4)}${isLog(column) ? " (log)" : ""}</span>`;
}

customElements.define("lineage-axes", LineageAxes);
