// Bars: a value of each visible run.

import { effect } from "@preact/signals-core";
import { html, render } from "lit-html";
import { barsOf } from "../../../controls/run_bars/bars.js";
import { runBars } from "../../../controls/run_bars/run_bars.js";
import { visibleRuns } from "../../../data/runs/runs.js";
import { bestOf } from "../../../data/series/best_values.js";
import { grouped } from "../../../i18n/numbers.js";
import { parseColumn } from "../model/column_names.js";
import { oneOf } from "../model/line_settings.js";
import { t } from "../words.js";
import { columnText } from "./column_text.js";
import { PanelElement } from "./panel_element.js";
import { valuesError, valuesOf, wantColumns } from "./run_values.js";

export const ORDERS = /** @type {const} */ (["best", "down", "up", "run"]);

class BarsPanel extends PanelElement {
  begin() {
    return [
      wantColumns(this, () => [parseColumn(this.settings.value.metric)]),
      effect(() => {
        render(this.#template(), this);
        this.dataset.drawnBars = String(this.querySelectorAll("li[data-run]").length);
      }),
    ];
  }

  #template() {
    const column = parseColumn(this.settings.value.metric);
    if (!column) return html`<div class="state">${t("ws.no_metric")}</div>`;
    if (valuesError.value) return html`<div class="state error" role="alert">${valuesError.value.message}</div>`;
    const chosen = oneOf(this.settings.value.order, ORDERS, "best");
    const order = chosen !== "best" ? chosen : bestOf(column.name) === "min" ? "up" : "down";
    const { bars, missing } = barsOf(visibleRuns.value, valuesOf(column), order);
    if (!bars.length) return html`<div class="state">${t("ws.no_values")}</div>`;
    return html`<p class="panel-how">${columnText(column)}${missing ? ` · ${t("ws.without", { n: grouped(missing) })}` : ""}</p>
      ${runBars(bars, columnText(column))}`;
  }
}

customElements.define("bars-panel", BarsPanel);
