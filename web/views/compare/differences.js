// The difference table: hyperparameters and environment of the compared runs, what differs first.

import { computed } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { DASHES } from "../../lib/colours.js";
import { differenceOf } from "../../lib/difference.js";
import { parseList, printList } from "../../lib/lists.js";
import { cutLeaf } from "../../lib/tags.js";
import { comparedRuns, styles } from "../../state/runs.js";
import { set, setting } from "../../state/view.js";
import { t } from "../../state/words.js";
import { ICONS, swatch } from "../icons.js";
import { nameOf } from "../run_row.js";
import { compareFacts } from "./compared.js";
import { cells, isLong } from "./difference_cells.js";

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
    <tbody>${rows.map(line)}</tbody>
  </table></div>`;

const wholeText = setting("compare.whole", /** @type {string} */ (""));
/** Rows whose values are shown from end to end. */
const whole = computed(() => parseList(wholeText.value));

/** @param {string} name */
function turn(name) {
  const others = whole.peek().filter((one) => one !== name);
  set({ "compare.whole": printList(others.length < whole.peek().length ? others : [...others, name]) });
}

/** @param {DifferenceRow} row */
function line(row) {
  const isWhole = whole.value.includes(row.name);
  const name = isLong(row)
    ? html`<button class="whole-switch" aria-expanded=${isWhole} title=${t("compare.whole")} @click=${() => turn(row.name)}>${ICONS.chevron}<span>${row.name}</span></button>`
    : row.name;
  return html`<tr data-name=${row.name} class=${isWhole ? "whole" : ""}><th scope="row" title=${row.name}>${name}</th>${cells(row, isWhole)}</tr>`;
}

/** @param {string} run */
function head(run) {
  const style = styles.value.get(run) ?? { colour: 0, dash: 0 };
  const [path, leaf] = cutLeaf(nameOf(run));
  return html`<th scope="col" title=${run}><span class="head-run">${swatch(style, DASHES[style.dash])}<span class="run-name">${path ? html`<span class="path">${path}</span>` : nothing}<span class="leaf">${leaf}</span></span></span></th>`;
}
