// The target: the distribution of its values, and the importance of each hyperparameter.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { styleMap } from "lit-html/directives/style-map.js";
import { meanOf } from "../../controls/mean.js";
import { countsOf, highestCount } from "../../controls/run_plots/bins.js";
import { valueAt } from "../../controls/run_plots/scale.js";
import { set } from "../../data/view/view.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { LineageElement } from "./lineage_element.js";
import { importance } from "./model/importance.js";
import { columnNamed, keptRows, scaleFor, scatterColumns, target, visibleRows } from "./state.js";
import { t } from "./words.js";

/** @typedef {import("../../data/kinds/importance_client.js").Importance} Importance */
/** @typedef {import("../../data/kinds/importance_client.js").ParameterImportance} ParameterImportance */
/** @typedef {import("../../controls/run_plots/columns.js").Column} Column */

const BINS = 20;
/** Parameters that are listed before the others are expanded. */
const LISTED_PARAMETERS = 14;

class LineageTarget extends LineageElement {
  /** The counts of the distribution's bars, for tests. */
  debugState() {
    const column = target.peek();
    return { counts: column ? Array.from(countsOf(scaleFor(column), keptRows.peek(), BINS)) : [] };
  }

  template() {
    const column = target.value;
    if (!column)
      return html`<header><h2>${t("lineage.target")}</h2></header><p class="hint">${t("lineage.no_target")}</p>`;
    return html`
      <header><h2>${t("lineage.distribution", { name: column.name })}</h2></header>
      ${distribution(column)}
      <header><h2>${t("lineage.importance")}</h2>${score()}</header>
      ${importances()}`;
  }
}

/** @param {Column} column */
function distribution(column) {
  const scale = scaleFor(column);
  const all = countsOf(scale, visibleRows.value, BINS);
  const kept = countsOf(scale, keptRows.value, BINS);
  const highest = Math.max(1, highestCount(all));
  const values = keptRows.value.map((row) => column.values[row]);
  const numbers = values
    .filter((value) => typeof value === "number" && Number.isFinite(value))
    .sort((parameter, other) => Number(parameter) - Number(other));
  const median = numbers.length
    ? (Number(numbers[(numbers.length - 1) >> 1]) + Number(numbers[numbers.length >> 1])) / 2
    : NaN;
  const facts = [
    ["min", numbers[0]],
    ["median", median],
    ["mean", meanOf(values)?.mean],
    ["max", numbers.at(-1)],
  ];
  const edgeText = (/** @type {number} */ importanceRow) =>
    shortNumber(Math.max(scale.lo, Math.min(scale.hi, valueAt(scale, importanceRow / BINS))), 4);
  return html`
    <div class="distribution" role="img"
      aria-label=${t("lineage.distribution_of", { name: column.name, n: grouped(numbers.length) })}>
      ${Array.from(
        all,
        (count, bar) =>
          html`<i title="${edgeText(bar)} – ${edgeText(bar + 1)}: ${kept[bar]}"
            style=${styleMap({ "--all": String(count / highest), "--kept": String(kept[bar] / highest) })}></i>`,
      )}
    </div>
    <p class="distribution-ends"><span>${shortNumber(scale.lo, 4)}</span><span>${shortNumber(scale.hi, 4)}</span></p>
    <dl class="target-facts">${facts.map(([name, value]) =>
      value === undefined || Number.isNaN(value)
        ? nothing
        : html`<div><dt>${t(
            /** @type {import("./words.js").TextKey} */ (`lineage.${name}`),
          )}</dt><dd data-fact=${name} data-value=${value}>${shortNumber(Number(value), 4)}</dd></div>`,
    )}
      ${
        numbers.length < values.length
          ? html`<div><dt>${t("lineage.missing_short")}</dt><dd
            class="non-finite">${grouped(values.length - numbers.length)}</dd></div>`
          : nothing
      }</dl>`;
}

/** The R² score of the random forest that measures importance. */
function score() {
  const r2 = importance.reply.value?.score;
  return typeof r2 === "number"
    ? html`<span class="meta" title=${t("lineage.score_hint")}>R² ${r2.toFixed(2)}</span>`
    : nothing;
}

function importances() {
  const error = importance.error.value;
  const reply = importance.reply.value;
  if (!isMeasurable()) return html`<p class="hint">${t("lineage.no_importance")}</p>`;
  if (error)
    return html`<p class="hint" role="status"
      data-state="failed">${t("lineage.importance_failed", { reason: error.message })}</p>`;
  if (!reply)
    return html`<p class="hint waiting" role="status" data-state="waiting">${t("lineage.importance_waiting")}</p>`;
  const measured = reply.parameters
    .filter((parameter) => parameter.importance !== null)
    .toSorted((parameter, other) => Number(other.importance) - Number(parameter.importance));
  const notMeasured = reply.parameters.filter((parameter) => parameter.importance === null);
  const largest =
    measured.reduce(
      (reach, parameter) => Math.max(reach, Number(parameter.importance) + Number(parameter.spread ?? 0)),
      0,
    ) || 1;
  return html`
    ${reply.problem ? html`<p class="hint" data-state="problem">${reply.problem}</p>` : nothing}
    ${
      measured.length
        ? html`<div class="importance-heads"
          aria-hidden="true"><span></span><span>${t("lineage.importance_error")}</span><span
          title=${t("lineage.pearson")}>r</span></div>
      <ul class="importances" aria-label=${t("lineage.importance")}>${repeat(
        measured.slice(0, LISTED_PARAMETERS),
        ({ name }) => name,
        (parameter) => bar(parameter, largest),
      )}</ul>
      ${
        measured.length > LISTED_PARAMETERS
          ? html`<details><summary>${t("read.more", { n: measured.length - LISTED_PARAMETERS })}</summary><ul
            class="importances">${repeat(
              measured.slice(LISTED_PARAMETERS),
              ({ name }) => name,
              (parameter) => bar(parameter, largest),
            )}</ul></details>`
          : nothing
      }`
        : nothing
    }
    ${
      notMeasured.length
        ? html`<details class="unusable"
          ?open=${
            !measured.length && notMeasured.length < LISTED_PARAMETERS
          }><summary>${t("lineage.not_measured", { n: notMeasured.length })}</summary>
      <dl>${notMeasured.map(({ name, problem }) => html`<dt>${name}</dt><dd>${problem ?? "–"}</dd>`)}</dl></details>`
        : nothing
    }`;
}

/** @param {ParameterImportance} one @param {number} largest */
function bar({ name, importance: value, spread, pearson, spearman, scale, distinct, kind, problem }, largest) {
  const id = columnNamed(name);
  const [size, spreadSize] = [Number(value), Number(spread ?? 0)];
  const r = typeof pearson === "number" ? pearson : null;
  const isOfLog = scale === "log10";
  const hint = [
    name,
    `${t("lineage.importance")} ${shortNumber(size)} ± ${shortNumber(spreadSize)}`,
    typeof pearson === "number"
      ? `${t(isOfLog ? "lineage.pearson_log" : "lineage.pearson")} ${pearson.toFixed(3)}`
      : "",
    typeof spearman === "number" ? `${t("lineage.spearman")} ${spearman.toFixed(3)}` : "",
    `${kind} · ${t("lineage.distinct", { n: grouped(distinct) })}`,
    problem ?? "",
  ]
    .filter(Boolean)
    .join("\n");
  return html`<li data-parameter=${name} data-importance=${value}>
    <button title=${hint} ?disabled=${!id} aria-pressed=${Boolean(id) && scatterColumns.value.x?.id === id}
      @click=${() => id && set({ "lineage.x": id, "lineage.y": target.value?.id ?? "" })}>
      <span class="name">${name}</span>
      <span class="bar"
        style=${styleMap({
          "--size": String(Math.max(0, size) / largest),
          "--from": String(Math.max(0, size - spreadSize) / largest),
          "--to": String(Math.max(0, size + spreadSize) / largest),
        })}><i></i><b></b></span>
      <span class="value">${shortNumber(size, 2)}</span>
      <span class="r ${r !== null && r < 0 ? "negative" : ""}"
        style=${styleMap({ "--r": String(Math.abs(r ?? 0)) })}>${
          isOfLog && r !== null ? html`<i>log</i>` : nothing
        }${r === null ? "" : r.toFixed(2)}</span>
    </button></li>`;
}

/** Whether importance can be measured for the target. */
export const isMeasurable = () => target.value?.section === "metric" || target.value?.section === "last";

customElements.define("lineage-target", LineageTarget);
