// A scatter plot: two values of each visible run, hyperparameters or metrics.

import { computed, effect } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { correlation } from "../../../controls/run_plots/columns.js";
import { visibleRuns } from "../../../data/runs/runs.js";
import { parseColumn } from "../model/column_names.js";
import { t } from "../words.js";
import { columnText } from "./column_text.js";
import { PanelElement } from "./panel_element.js";
import { rows, runColours, scaleFor } from "./run_table_columns.js";
import { valuesError, wantColumns } from "./run_values.js";
import "../../../controls/run_plots/run_scatter.js";

class ScatterPanel extends PanelElement {
  begin() {
    const names = computed(() => [parseColumn(this.settings.value.x), parseColumn(this.settings.value.y)]);
    return [
      wantColumns(this, () => names.value),
      effect(() => void render(template(names.value, this.settings.value), this)),
    ];
  }
}

/** @param {Array<import("../model/column_names.js").ColumnName | null>} names
 * @param {import("./panel_element.js").Settings} settings */
function template([x, y], { log_x, log }) {
  if (!x || !y) return html`<div class="state">${t("ws.no_columns")}</div>`;
  if (valuesError.value) return html`<div class="state error" role="alert">${valuesError.value.message}</div>`;
  const scatter = {
    x: scaleFor(x, flag(log_x)),
    y: scaleFor(y, flag(log)),
    rows: rows.value,
    kept: rows.value,
    colours: runColours.value,
    sizes: null,
    runs: visibleRuns.value,
  };
  const { r, count } = correlation(scatter.x.column, scatter.y.column, rows.value);
  return html`<p class="panel-how">y: ${columnText(y)} · x: ${columnText(x)}${
    Number.isNaN(r) ? nothing : html` · <span title=${t("ws.pearson")}>r = ${r.toFixed(3)}</span>`
  }</p>
  <run-scatter role="img" .scatter=${scatter}
    aria-label=${t("ws.scatter_of", { x: columnText(x), y: columnText(y), n: count })}></run-scatter>`;
}

/** @param {unknown} value */
const flag = (value) => (typeof value === "boolean" ? value : undefined);

customElements.define("scatter-panel", ScatterPanel);
