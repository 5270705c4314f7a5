// Parallel axes: hyperparameters and metrics of each visible run as one line.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing, render, svg } from "lit-html";
import { cancelDraw, scheduleDraw } from "../../../charts/draw_queue.js";
import { rgbOf } from "../../../charts/rgb.js";
import { tokens } from "../../../charts/theme.js";
import { nameOf } from "../../../controls/run_name.js";
import { frameOf, heightAt, pathOf, rowAt } from "../../../controls/run_plots/parallel_axes.js";
import { ticksOf } from "../../../controls/run_plots/scale.js";
import { StripPainter } from "../../../controls/run_plots/strip_lines.js";
import { visibleRuns } from "../../../data/runs/runs.js";
import { shortened } from "../../../data/runs/short_names.js";
import { hoveredRun, panel } from "../../../data/view/pointer.js";
import { theme } from "../../../data/view/view.js";
import { parseColumn } from "../model/column_names.js";
import { texts } from "../model/line_settings.js";
import { t } from "../words.js";
import { PanelElement } from "./panel_element.js";
import { rows, runColours, scaleFor } from "./run_table_columns.js";
import { valuesError, wantColumns } from "./run_values.js";
import { columnText, valueText } from "./value_text.js";

const HIT_DISTANCE = 10;
/** Space beside the first and the last axis, and above them for their names. */
const [SIDE, HEAD] = [56, 22];
/** Of the name of an axis. */
const [MAX_LETTERS, LETTER_WIDTH] = [20, 6.5];

class ParallelPanel extends PanelElement {
  #size = signal({ width: 0, height: 0 });
  /** @type {StripPainter[]} */
  #painters = [];

  begin() {
    const names = computed(() => texts(this.settings.value.columns).flatMap((text) => parseColumn(text) ?? []));
    const scales = computed(() => names.value.map((name) => scaleFor(name, undefined)));
    const geometry = computed(() => {
      const { width, height } = this.#size.value;
      const all = scales.value.map(({ column }) => column);
      const frame = frameOf(
        Math.max(40, height - HEAD),
        all.some(({ hasNonFinite }) => hasNonFinite),
        all.some(({ hasMissing }) => hasMissing),
      );
      return { frame, spacing: Math.max(1, (width - 2 * SIDE) / Math.max(1, all.length - 1)), width };
    });
    const draw = () => this.#draw(scales.peek(), geometry.peek());
    const resize = new ResizeObserver(() => this.#measure());
    return [
      wantColumns(this, () => names.value),
      effect(() => {
        render(this.#template(names.value, scales.value, geometry.value), this);
        const plot = this.querySelector(".ws-parallel");
        if (plot) resize.observe(plot);
      }),
      effect(() => {
        [scales.value, geometry.value, rows.value, runColours.value, theme.value];
        scheduleDraw(draw);
      }),
      () => cancelDraw(draw),
      () => resize.disconnect(),
    ];
  }

  /** @typedef {import("../../../controls/run_plots/scale.js").Scale} Scale */
  /** @typedef {{frame: import("../../../controls/run_plots/parallel_axes.js").Frame, spacing: number, width: number}} Geometry */

  /** @param {import("../model/column_names.js").ColumnName[]} names @param {Scale[]} scales @param {Geometry} geometry */
  #template(names, scales, geometry) {
    if (names.length < 2) return html`<div class="state">${t("ws.no_axes")}</div>`;
    if (valuesError.value) return html`<div class="state error" role="alert">${valuesError.value.message}</div>`;
    const { frame, spacing, width } = geometry;
    const places = scales.map((scale) => scale.places);
    const pointed = hoveredRun.value === null ? -1 : visibleRuns.value.indexOf(hoveredRun.value);
    return html`<div class="ws-parallel" role="img"
      aria-label=${t("ws.parallel_of", { names: names.map(columnText).join(", "), n: rows.value.length })}
      @pointermove=${(/** @type {PointerEvent} */ event) => this.#point(event, places, geometry)}
      @pointerleave=${() => (hoveredRun.value = null)}
      @click=${() => hoveredRun.peek() && ((panel.value = { kind: "run", run: /** @type {string} */ (hoveredRun.peek()) }))}>
      ${scales.slice(1).map((_, at) => html`<canvas style="left:${SIDE + at * spacing}px;top:${HEAD}px;width:${spacing}px;height:${frame.height}px"></canvas>`)}
      <svg width=${width} height=${frame.height + HEAD} aria-hidden="true">
        ${names.map((name, at) => axis(columnText(name), scales[at], at, geometry, names.length, names.map(columnText)))}
        ${
          pointed < 0
            ? nothing
            : svg`<g transform="translate(${SIDE} ${HEAD})"><path class="pointed-line" d=${pathOf(places, pointed, spacing, frame)}/></g>`
        }
      </svg>
      ${pointed < 0 ? nothing : html`<div class="ws-tip">${[nameOf(/** @type {string} */ (hoveredRun.value)), ...scales.map(({ column }) => `${column.name} ${valueText(column.values[pointed])}`)].join("\n")}</div>`}
    </div>`;
  }

  #measure() {
    const { clientWidth: width = 0, clientHeight: height = 0 } = this.querySelector(".ws-parallel") ?? {};
    this.#size.value = { width, height };
  }

  /** @param {Scale[]} scales @param {Geometry} geometry */
  #draw(scales, { frame, spacing, width }) {
    const canvases = [...this.querySelectorAll("canvas")];
    if (!width || canvases.length !== scales.length - 1) return;
    const { surface, faint } = tokens();
    const { css, byRow } = runColours.peek();
    canvases.forEach((canvas, at) => {
      this.#painters[at] ??= new StripPainter();
      this.#painters[at].draw(canvas, {
        left: scales[at].places,
        right: scales[at + 1].places,
        width: spacing,
        frame,
        rows: rows.peek(),
        kept: rows.peek(),
        colours: { rgb: css.map(rgbOf), byRow },
        background: surface,
        faint,
      });
    });
    this.dataset.drawnRuns = String(rows.peek().length);
  }

  /** @param {PointerEvent} event @param {Float32Array[]} places @param {Geometry} geometry */
  #point({ clientX, clientY, currentTarget }, places, { frame, spacing }) {
    const { left, top } = /** @type {HTMLElement} */ (currentTarget).getBoundingClientRect();
    const row = rowAt(places, rows.peek(), clientX - left - SIDE, clientY - top - HEAD, spacing, frame, HIT_DISTANCE);
    hoveredRun.value = row === null ? null : visibleRuns.peek()[row];
  }
}

/** @param {string} text @param {Scale} scale @param {number} at
 * @param {Geometry} geometry @param {number} count @param {string[]} all names of axes */
function axis(text, scale, at, { frame, spacing }, count, all) {
  // Between two names in the middle of their axes, and between one at the side and one in the middle.
  const room = Math.min(spacing, (spacing + SIDE - 6) / 1.5) - LETTER_WIDTH;
  const letters = Math.max(3, Math.min(MAX_LETTERS, Math.floor(room / LETTER_WIDTH)));
  const isLast = at === count - 1;
  const anchor = at === 0 ? "start" : isLast ? "end" : "middle";
  const start = at === 0 ? -SIDE + 6 : isLast ? SIDE - 6 : 0;
  return svg`<g transform="translate(${SIDE + at * spacing} ${HEAD})">
    <text class="axis-name" x=${start} y="-8" text-anchor=${anchor}><title>${text}</title>${text.length > letters ? shortened(all, letters).get(text) : text}</text>
    <path class="axis-line" d="M0 ${frame.top}V${frame.bottom}"/>
    ${ticksOf(scale, { length: frame.bottom - frame.top, isVertical: true, space: 28 }).map(
      ({ place, text: label }) => svg`<text class="axis-tick" x=${isLast ? 6 : -6} y=${heightAt(place, frame) + 4}
        text-anchor=${isLast ? "start" : "end"}>${scale.kind === "category" && label.length > 10 ? `${label.slice(0, 9)}…` : label}</text>`,
    )}
  </g>`;
}

customElements.define("parallel-panel", ParallelPanel);
