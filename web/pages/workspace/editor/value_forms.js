// The forms of panels that show values of runs: bars, single numbers, scatter plots, parallel axes; and of notes.

import { html } from "lit-html";
import { scalarTags } from "../../../data/runs/catalogue.js";
import { parseColumn, printColumn, STATISTICS } from "../model/column_names.js";
import { oneOf, texts } from "../model/line_settings.js";
import { REDUCTIONS } from "../model/summary.js";
import { ORDERS } from "../panels/bars.js";
import { parameters } from "../panels/run_values.js";
import { t } from "../words.js";
import { chooser, field, inputText, selectField } from "./fields.js";

/** @typedef {import("./editor.js").Target} Target */

const MAX_OFFERED = 1000;

const METRICS = "ws-metrics";
const PARAMETERS = "ws-parameters";
const lists = () => html`
  <datalist id=${METRICS}>${(scalarTags.value ?? []).slice(0, MAX_OFFERED).map((tag) => html`<option value=${tag}></option>`)}</datalist>
  <datalist id=${PARAMETERS}>${parameters.value.map(({ name }) => html`<option value=${name}></option>`)}</datalist>`;

/** A statistic and the name of a tag, or a hyperparameter.
 * @param {string} name @param {string} label @param {unknown} value @param {(text: string | undefined) => void} changed */
const columnField = (name, label, value, changed) => {
  const column = parseColumn(value) ?? { statistic: /** @type {const} */ ("best"), name: "" };
  return html`<div class="ws-field" data-field=${name} role="group" aria-label=${label}><span class="ws-label">${label}</span>
    ${columnInputs(label, column, (next) => changed(next.name ? printColumn(next) : undefined))}</div>`;
};

/** @typedef {import("../model/column_names.js").ColumnName} ColumnName */

/** @param {string} label @param {ColumnName} column @param {(column: ColumnName) => void} changed @param {string} [placeholder] */
const columnInputs = (label, column, changed, placeholder = t("ws.tag")) => html`<span class="ws-column">
  ${chooser(
    "statistic",
    `${label}: ${t("ws.statistic")}`,
    STATISTICS.map((each) => [each, t(`ws.statistic_${each}`)]),
    column.statistic,
    (statistic) => changed({ ...column, statistic: /** @type {ColumnName["statistic"]} */ (statistic) }),
  )}<input class="field" .value=${column.name} list=${column.statistic === "param" ? PARAMETERS : METRICS} aria-label=${label}
    placeholder=${placeholder} spellcheck="false" autocomplete="off"
    @change=${(/** @type {Event} */ event) => changed({ ...column, name: inputText(event).trim() })}></span>`;

/** @param {Target} target */
const barsForm = ({ own, put }) => html`
  ${columnField("metric", t("ws.value"), own.metric, (text) => put("metric", text))}
  ${selectField(
    "order",
    t("ws.order"),
    ORDERS.map((each) => [each, t(`ws.order_${each}`)]),
    oneOf(own.order, ORDERS, "best"),
    (value) => put("order", value),
  )}${lists()}`;

/** @param {Target} target */
const numberForm = ({ own, put }) => html`
  ${columnField("metric", t("ws.value"), own.metric, (text) => put("metric", text))}
  ${selectField(
    "reduce",
    t("ws.reduce"),
    REDUCTIONS.map((each) => [each, t(`ws.reduce_${each}`)]),
    oneOf(own.reduce, REDUCTIONS, "best"),
    (value) => put("reduce", value),
  )}${lists()}`;

/** @param {Target} target */
function scatterForm({ own, put }) {
  const scale = (/** @type {"log" | "log_x"} */ name) => {
    const value = own[name] === true ? "log" : own[name] === false ? "linear" : "";
    return selectField(
      name,
      t(`ws.${name}`),
      [
        ["", t("ws.automatic")],
        ["linear", t("ws.linear")],
        ["log", t("ws.logarithmic")],
      ],
      value,
      (chosen) => put(name, chosen === "" ? undefined : chosen === "log"),
    );
  };
  return html`
    ${columnField("y", t("ws.y"), own.y, (text) => put("y", text))}
    ${columnField("x", t("ws.x"), own.x, (text) => put("x", text))}
    ${scale("log")}${scale("log_x")}${lists()}`;
}

/** @param {Target} target */
function parallelForm({ own, put }) {
  const columns = texts(own.columns).flatMap((text) => parseColumn(text) ?? []);
  const store = (/** @type {ColumnName[]} */ next) => {
    const named = next.filter(({ name }) => name).map(printColumn);
    put("columns", named.length ? named : undefined);
  };
  return html`<div class="ws-field" data-field="columns" role="group" aria-label=${t("ws.axes")}><span class="ws-label">${t("ws.axes")}</span>
    ${columns.map((column, at) =>
      columnInputs(`${t("ws.axis_n", { n: at + 1 })}`, column, (next) =>
        store(columns.map((each, place) => (place === at ? next : each))),
      ),
    )}
    ${columnInputs(t("ws.add_axis"), { statistic: "param", name: "" }, (next) => store([...columns, next]), t("ws.add_axis"))}
  </div>${lists()}<p class="hint">${t("ws.axes_hint")}</p>`;
}

/** @param {Target} target */
const markdownForm = ({ own, put }) =>
  field(
    "text",
    t("ws.markdown"),
    html`<textarea class="field" name="text" rows="14" .value=${String(own.text ?? "")} @input=${(
      /** @type {Event} */ event,
    ) => put("text", inputText(event) || undefined)}></textarea>`,
  );

/** @type {Record<string, (target: Target) => unknown>} */
export const VALUE_FORMS = {
  bars: barsForm,
  number: numberForm,
  scatter: scatterForm,
  parallel: parallelForm,
  markdown: markdownForm,
};
