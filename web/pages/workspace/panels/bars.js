// Bars: a value of each visible run.

import { effect } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { nameOf, runName } from "../../../controls/run_name.js";
import { baseline } from "../../../data/baseline.js";
import { bestOf } from "../../../data/best_values.js";
import { hoveredRun, panel } from "../../../data/pointer.js";
import { styles, visibleRuns } from "../../../data/runs.js";
import { grouped } from "../../../i18n/numbers.js";
import { barsOf } from "../model/bars.js";
import { parseColumn } from "../model/column_names.js";
import { oneOf } from "../model/line_settings.js";
import { t } from "../words.js";
import { PanelElement } from "./panel_element.js";
import { valuesError, valuesOf, wantColumns } from "./run_values.js";
import { columnText, valueText } from "./value_text.js";

export const ORDERS = /** @type {const} */ (["best", "down", "up", "run"]);
/** Rows that are drawn; more are counted. */
const MOST = 200;

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
      <ol class="ws-bars" tabindex="0" aria-label=${columnText(column)}>
        ${bars.slice(0, MOST).map(bar)}
        ${bars.length > MOST ? html`<li class="meta">${t("read.more", { n: grouped(bars.length - MOST) })}</li>` : nothing}
      </ol>`;
  }
}

/** @param {import("../model/bars.js").Bar} bar */
const bar = ({ run, value, from, to }) => html`<li data-run=${run} class=${hoveredRun.value === run ? "pointed" : ""}
  @mouseenter=${() => (hoveredRun.value = run)} @mouseleave=${() => (hoveredRun.value = null)}
  @click=${() => (panel.value = { kind: "run", run })} title=${nameOf(run)}>
  <span class="bar-name">${runName(run)}${baseline.value === run ? html` <small class="meta">${t("ws.baseline")}</small>` : nothing}</span>
  <span class="bar-room"><i style="left:${100 * from}%;width:max(1px,${100 * (to - from)}%);background:var(--run-${
    (styles.value.get(run)?.colour ?? 0) + 1
  })"></i></span>
  <span class="bar-value">${valueText(value)}</span></li>`;

customElements.define("bars-panel", BarsPanel);
