// The difference table: hyperparameters and environment of the compared runs, what differs first.

import { html, nothing } from "lit-html";
import { DASHES } from "../../lib/colours.js";
import { differenceOf } from "../../lib/difference.js";
import { cutLeaf } from "../../lib/tags.js";
import { styles } from "../../state/runs.js";
import { t } from "../../state/words.js";
import { swatch } from "../icons.js";
import { plainText } from "../overview/cells.js";
import { nameOf } from "../run_row.js";
import { compareFacts, comparedRuns } from "./compared.js";

/** @typedef {import("../../lib/difference.js").Plain} Plain */
/** @typedef {import("../../lib/difference.js").DifferenceRow} DifferenceRow */

export function differences() {
  const told = comparedRuns.value.map((run) => compareFacts.told.value.get(run));
  if (compareFacts.error.value) return html`<p class="page-note" role="alert">${t("overview.failed", { reason: compareFacts.error.value.message })}</p>`;
  if (told.includes(undefined)) return nothing;
  return html`
    <section class="compare-section" data-section="differences">
      ${table("overview.parameters", told.map((facts) => facts?.hyper_parameters ?? {}))}
      ${table("run.environment", told.map((facts) => facts?.environment ?? {}))}
    </section>`;
}

/** @param {"overview.parameters" | "run.environment"} title @param {Record<string, Plain>[]} tables one a run */
function table(title, tables) {
  const { different, equal } = differenceOf(tables);
  if (!different.length && !equal.length) return html`<header><h2>${t(title)}</h2><span class="meta">${t("run.no_parameters")}</span></header>`;
  const counts = comparedRuns.value.length > 1 ? html`<span class="meta">${t("compare.counts", { different: different.length, equal: equal.length })}</span>` : nothing;
  return html`
    <header><h2>${t(title)}</h2>${counts}</header>
    ${different.length ? grid(different, t(title), "different") : nothing}
    ${equal.length ? html`<details ?open=${!different.length} data-equal=${equal.length}>
      <summary>${t("compare.equal", { n: equal.length })}</summary>${grid(equal, t("compare.equal", { n: equal.length }), "equal")}</details>` : nothing}`;
}

/** @param {DifferenceRow[]} rows @param {string} label @param {string} kind */
const grid = (rows, label, kind) => html`
  <div class="difference" tabindex="0" role="region" aria-label=${label}><table data-difference=${kind}>
    <thead><tr><td></td>${comparedRuns.value.map(head)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr data-name=${row.name}><th scope="row">${row.name}</th>${row.values.map((value, at) => cell(value, row.odd[at]))}</tr>`)}</tbody>
  </table></div>`;

/** @param {string} run */
function head(run) {
  const style = styles.value.get(run) ?? { colour: 0, dash: 0 };
  const [path, leaf] = cutLeaf(nameOf(run));
  return html`<th scope="col" title=${run}><span class="head-run">${swatch(style, DASHES[style.dash])}<span class="run-name">${path ? html`<span class="path">${path}</span>` : nothing}<span class="leaf">${leaf}</span></span></span></th>`;
}

/** @param {Plain | undefined} value @param {boolean} odd */
const cell = (value, odd) => html`<td class=${odd ? "odd" : ""} title=${value === undefined ? t("compare.missing") : String(value)}>${value === undefined ? html`<span class="dim">–</span>` : plainText(value)}</td>`;
