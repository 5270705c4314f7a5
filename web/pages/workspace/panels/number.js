// A single number: a value of the visible runs, reduced to one, and its difference to the baseline.

import { effect } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { runName } from "../../../controls/run_name.js";
import { baseline } from "../../../data/runs/baseline.js";
import { visibleRuns } from "../../../data/runs/runs.js";
import { bestOf } from "../../../data/series/best_values.js";
import { hoveredRun, panel } from "../../../data/view/pointer.js";
import { grouped, shortNumber } from "../../../i18n/numbers.js";
import { parseColumn } from "../model/column_names.js";
import { oneOf } from "../model/line_settings.js";
import { REDUCTIONS, summaryOf } from "../model/summary.js";
import { t } from "../words.js";
import { columnText } from "./column_text.js";
import { PanelElement } from "./panel_element.js";
import { valuesError, valuesOf, wantColumns } from "./run_values.js";

class NumberPanel extends PanelElement {
  begin() {
    return [
      wantColumns(this, () => [parseColumn(this.settings.value.metric)]),
      effect(() => {
        render(this.#template(), this);
      }),
    ];
  }

  #template() {
    const column = parseColumn(this.settings.value.metric);
    if (!column) return html`<div class="state">${t("ws.no_metric")}</div>`;
    if (valuesError.value) return html`<div class="state error" role="alert">${valuesError.value.message}</div>`;
    const chosen = oneOf(this.settings.value.reduce, REDUCTIONS, "best");
    const how = chosen === "best" ? bestOf(column.name) : chosen;
    const found = summaryOf(visibleRuns.value, valuesOf(column), how);
    if (!found) return html`<div class="state">${t("ws.no_values")}</div>`;
    const { value, run, count } = found;
    this.dataset.value = String(value);
    return html`<div class="ws-number">
      <strong title=${String(value)}>${shortNumber(value, 5)}</strong>
      ${this.#difference(column, value)}
      <span>${run === null ? t(`ws.reduce_${/** @type {"mean"} */ (how)}`) : nothing} ${columnText(column)}</span>
      ${
        run === null
          ? html`<span class="meta">${t("ws.of_runs", { n: grouped(count) })}</span>`
          : html`<button class="text" @mouseenter=${() => (hoveredRun.value = run)} @mouseleave=${() => (hoveredRun.value = null)}
            @click=${() => (panel.value = { kind: "run", run })}>${runName(run)}</button>`
      }
    </div>`;
  }

  /** @param {import("../model/column_names.js").ColumnName} column @param {number} value */
  #difference(column, value) {
    const base = baseline.value ? valuesOf(column)(baseline.value) : null;
    if (typeof base !== "number" || !Number.isFinite(base) || base === value) return nothing;
    const sign = value > base ? "+" : "−";
    return html`<span class="meta" title=${t("ws.to_baseline")}>${sign}${shortNumber(Math.abs(value - base), 3)}</span>`;
  }
}

customElements.define("number-panel", NumberPanel);
