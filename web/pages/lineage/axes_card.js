// Parallel coordinates: an axis for each column, and a line for each run.

import { effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { repeat } from "lit-html/directives/repeat.js";
import { styleMap } from "lit-html/directives/style-map.js";
import { choice } from "../../controls/choice.js";
import { pathOf, rowAt } from "../../controls/run_plots/parallel_axes.js";
import { groupsOf } from "../../data/groups/run_groups.js";
import { hoveredRun } from "../../data/view/pointer.js";
import { language } from "../../i18n/language.js";
import { shortNumber } from "../../i18n/numbers.js";
import { axes, axesFrame, axisSpacing } from "./axes.js";
import { axesWidth, LEFT_MARGIN, RIGHT_MARGIN } from "./axes_room.js";
import { axis } from "./axis.js";
import { axesMenu } from "./column_menu.js";
import { LineageElement } from "./lineage_element.js";
import { openPointedRun } from "./open_pointed_run.js";
import { shades } from "./run_colours.js";
import { brushes, clearBrushes, lineColour, setLineColour } from "./settings.js";
import { isLog, liveRows, rowOf, sources, target } from "./state.js";
import { t } from "./words.js";
import "./line_strip.js";

/** The cursor points at a line within so many pixels. */
const HIT_DISTANCE = 8;

class LineageAxes extends LineageElement {
  #frameRequest = 0;

  /** @param {number} width */
  measure(width) {
    axesWidth.value = width;
  }

  begin() {
    return [
      this.followSize(),
      effect(() => this.#highlight(rowOf.value.get(hoveredRun.value ?? ""))),
      () => cancelAnimationFrame(this.#frameRequest),
    ];
  }

  template() {
    const all = axes.value;
    const width = LEFT_MARGIN + RIGHT_MARGIN + axisSpacing.value * Math.max(0, all.length - 1);
    return html`
      <header>
        <h2>${t("lineage.axes_title")}</h2>
        ${legend()}
        <span class="space"></span>
        ${
          brushes.value.size
            ? html`<button class="text" data-key="clear-brushes"
              @click=${clearBrushes}>${t("lineage.clear_brushes", { n: brushes.value.size })}</button>`
            : nothing
        }
        ${choice(
          "lines",
          t("lineage.lines"),
          [
            ["target", t("lineage.by_target")],
            ["run", t(groupsOf.value ? "lineage.by_group" : "lineage.by_run")],
          ],
          lineColour.value,
          setLineColour,
        )}
        ${axesMenu()}
      </header>
      <div class="axes-scroll" role="region" tabindex="0" aria-label=${t("lineage.axes_title")}>
        ${
          all.length
            ? html`<div class="axes-plot" style=${styleMap({ width: `${width}px` })}>
          <div class="strips"
            style=${styleMap({
              left: `${LEFT_MARGIN}px`,
              height: `${axesFrame.value.height}px`,
              width: `${axisSpacing.value * (all.length - 1)}px`,
            })}
            @pointermove=${(/** @type {PointerEvent} */ event) => this.#onPointerMove(event)}
            @pointerleave=${() => this.#onPointerLeave()} @click=${openPointedRun}>
            ${axesWidth.value ? strips() : nothing}
            <svg class="pointed-line" aria-hidden="true"><path/><path/></svg>
          </div>
          ${repeat(
            all,
            ({ column }) => column.id,
            (scale, at) => guard(axisDependencies(scale, at), () => axis(scale, at)),
          )}
        </div>`
            : html`<p class="hint">${t("lineage.no_axes")}</p>`
        }
      </div>`;
  }

  /** @param {PointerEvent} event */
  #onPointerMove({ clientX, clientY, currentTarget, buttons }) {
    if (buttons) return;
    const { left, top } = /** @type {HTMLElement} */ (currentTarget).getBoundingClientRect();
    cancelAnimationFrame(this.#frameRequest);
    this.#frameRequest = requestAnimationFrame(() => {
      const row = rowAt(
        places(),
        liveRows.peek(),
        clientX - left,
        clientY - top,
        axisSpacing.peek(),
        axesFrame.peek(),
        HIT_DISTANCE,
      );
      hoveredRun.value = row === null ? null : sources.peek()[row].run;
    });
  }

  #onPointerLeave() {
    cancelAnimationFrame(this.#frameRequest);
    hoveredRun.value = null;
  }

  /** @param {number | undefined} row */
  #highlight(row) {
    const path =
      row === undefined
        ? ""
        : pathOf(
            axes.value.map(({ places: byRow }) => byRow),
            row,
            axisSpacing.value,
            axesFrame.value,
          );
    for (const line of this.querySelectorAll(".pointed-line path")) line.setAttribute("d", path);
    this.dataset.pointed = row === undefined ? "" : sources.peek()[row].run;
  }
}

/** Everything that an axis depends on, so that brushing one does not render the others again.
 * @param {import("./axes.js").Scale} scale @param {number} at */
const axisDependencies = (scale, at) => [
  scale,
  at,
  brushes.value.get(scale.column.id),
  axesFrame.value,
  axisSpacing.value,
  target.value?.id === scale.column.id,
  language.value,
];

const places = () => axes.peek().map((scale) => scale.places);

/** Strips between neighbouring axes, reused by position when the axes change. */
const strips = () =>
  axes.value.slice(1).map(
    (_, at) =>
      html`<lineage-strip .place=${at}
          style=${styleMap({ left: `${at * axisSpacing.value}px`, width: `${axisSpacing.value}px` })}></lineage-strip>`,
  );

/** The legend of the line colours. */
function legend() {
  const column = target.value;
  if (lineColour.value === "run" || !column || !Number.isFinite(column.lo)) return nothing;
  return html`<span class="shades" data-target=${column.id}><b>${column.name}</b> ${shortNumber(column.lo, 4)}
    <i style=${styleMap({
      background: `linear-gradient(90deg, ${shades.value.join(",")})`,
    })}></i> ${shortNumber(column.hi, 4)}${isLog(column) ? " (log)" : ""}</span>`;
}

customElements.define("lineage-axes", LineageAxes);
