// Parallel axes: hyperparameters and metrics of each visible run as one line.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { styleMap } from "lit-html/directives/style-map.js";
import { rgbOf } from "../../../charts/rgb.js";
import { axisNames, frameOf, spacingOf } from "../../../controls/run_plots/parallel_axes.js";
import { axisLine, axisStyle, axisTicks, runAxes, tickLabel } from "../../../controls/run_plots/run_axes.js";
import { MISSING, NON_FINITE } from "../../../controls/run_plots/scale.js";
import { tipText } from "../../../controls/run_plots/tip_text.js";
import { visibleRuns } from "../../../data/runs/runs.js";
import { hoveredRun } from "../../../data/view/pointer.js";
import { parseColumn } from "../model/column_names.js";
import { texts } from "../model/line_settings.js";
import { t } from "../words.js";
import { columnText } from "./column_text.js";
import { PanelElement } from "./panel_element.js";
import { rows, runColours, scaleFor } from "./run_table_columns.js";
import { valuesError, wantColumns } from "./run_values.js";

/** @typedef {import("../../../controls/run_plots/parallel_axes.js").Axes} Axes */

/** The height of the names above the axes and of the room below them, in pixels. */
const HEIGHT_BESIDE_AXES = 32;
const MIN_HEIGHT = 40;
const MIN_SPACING = 72;

class ParallelPanel extends PanelElement {
  #size = signal({ width: 0, height: 0 });

  begin() {
    const names = computed(() => texts(this.settings.value.columns).flatMap((text) => parseColumn(text) ?? []));
    const axes = computed(() => {
      const scales = names.value.map((name) => scaleFor(name, undefined));
      const { width, height } = this.#size.value;
      const { css, byRow } = runColours.value;
      return {
        scales,
        frame: frameOf(Math.max(MIN_HEIGHT, height - HEIGHT_BESIDE_AXES), scales),
        spacing: Math.max(MIN_SPACING, spacingOf(width, scales.length)),
        rows: rows.value,
        kept: rows.value,
        colours: { rgb: css.map(rgbOf), byRow },
        runs: visibleRuns.value,
      };
    });
    const resize = new ResizeObserver(() => {
      this.#size.value = { width: this.clientWidth, height: this.clientHeight };
    });
    resize.observe(this);
    return [
      wantColumns(this, () => names.value),
      effect(() => void render(template(names.value.map(columnText), axes.value), this)),
      () => resize.disconnect(),
    ];
  }
}

/** @param {string[]} names of the axes @param {Axes} axes */
function template(names, axes) {
  if (names.length < 2) return html`<div class="state">${t("ws.no_axes")}</div>`;
  if (valuesError.value) return html`<div class="state error" role="alert">${valuesError.value.message}</div>`;
  const shortNames = axisNames(names, axes.spacing);
  const run = hoveredRun.value;
  const row = run === null ? -1 : axes.runs.indexOf(run);
  const columns = axes.scales.map(({ column }) => column);
  return html`${runAxes(
    t("ws.parallel_of", { names: names.join(", "), n: axes.rows.length }),
    axes,
    names.map((name, at) => axis(name, shortNames.get(name), axes, at)),
  )}${run === null || row < 0 ? nothing : html`<div class="plot-tip">${tipText(run, columns, row)}</div>`}`;
}

/** @param {string} name @param {string | undefined} shortName @param {Axes} axes @param {number} at */
function axis(name, shortName, { scales, spacing, frame }, at) {
  const { hasNonFinite, hasMissing } = scales[at].column;
  const lanes = [
    ...(hasNonFinite ? [{ place: NON_FINITE, text: "NaN ±∞" }] : []),
    ...(hasMissing ? [{ place: MISSING, text: "–" }] : []),
  ];
  return html`<div class="axis" style=${axisStyle(spacing, at)}>
    <div class="axis-head"><span class="axis-name" title=${name}>${shortName}</span></div>
    <div class="axis-body" style=${styleMap({ height: `${frame.height}px` })}>
      ${axisLine(frame)} ${[...axisTicks(scales[at], frame), ...lanes].map((tick) => tickLabel(tick, frame))}
    </div>
  </div>`;
}

customElements.define("parallel-panel", ParallelPanel);
