// What can be done with the rows of the table: show and hide some, draw them on the other pages, take them away as CSV.

import { html, nothing } from "lit-html";
import { save } from "../../controls/download.js";
import { ICONS } from "../../controls/icons.js";
import { EVERYTHING } from "../../data/selection.js";
import { change } from "../../data/view.js";
import { grouped } from "../../i18n/numbers.js";
import { columnMenu } from "./column_menu.js";
import { csvOf } from "./model/csv.js";
import { lineages, wholeRuns } from "./model/runs.js";
import { columnIds, keptRows, rowCount, sortedRows, sources, tableColumns } from "./rows.js";
import { hide, hiding, showAll, showOnly, ticked } from "./settings.js";
import { t } from "./words.js";

export function tableBar() {
  const runs = tickedRuns();
  const shown = keptRows.value.length;
  return html`
    <header class="table-bar">
      <h2>${t("lineage.table")}</h2>
      <span class="meta" data-count=${shown}>${t("top.runs_drawn", { shown: grouped(shown), n: grouped(rowCount.value) })}${lineages.isComplete.value ? nothing : html` · ${t("top.loading")} …`}</span>
      <span class="space"></span>
      ${
        runs.length
          ? html`
        <button class="plain" data-key="show-ticked" @click=${() => showTicked(runs)}>${t("lineage.show_ticked", { n: grouped(runs.length) })}</button>
        <button class="plain" data-key="hide-ticked" @click=${() => hideTicked(runs)}>${t("lineage.hide_ticked", { n: grouped(runs.length) })}</button>`
          : nothing
      }
      ${hiding.value ? html`<button class="plain" data-key="show-all" @click=${showAll}>${t("lineage.show_all")}</button>` : nothing}
      <button class="plain" data-key="csv" title=${t("lineage.csv_hint")} ?disabled=${!shown} @click=${download}>${ICONS.csv}CSV</button>
      ${columnMenu("columns")}
    </header>`;
}

/** The ticked runs among the rows of the table. */
const tickedRuns = () => keptRows.value.map((row) => sources.value[row].run).filter((run) => ticked.value.has(run));

/** @param {string[]} runs */
function showTicked(runs) {
  showOnly(runs);
  ticked.value = new Set();
}

/** @param {string[]} runs */
function hideTicked(runs) {
  hide(runs);
  ticked.value = new Set();
}

/** The rows and columns of the table, in their order, with every digit. */
function tableAsCsv() {
  const columns = columnIds.peek().flatMap((id) => tableColumns.peek().get(id) ?? []);
  const lines = sortedRows.peek().map((row) => [sources.peek()[row].run, ...columns.map(({ values }) => values[row])]);
  return csvOf([["run", ...columns.map(({ id }) => id)], ...lines]);
}

const download = () => save(new Blob([tableAsCsv()], { type: "text/csv" }), "lineage.csv");

/** Has every page draw the rows of the table, and no other run; the shorter list is the one that stands in the address. */
export function drawKept() {
  const kept = new Set(keptRows.peek().map((row) => sources.peek()[row].run));
  if (!kept.size) return;
  const others = wholeRuns.peek().filter((run) => !kept.has(run));
  change({
    selection: !others.length
      ? EVERYTHING
      : others.length < kept.size
        ? { mode: "hide", runs: new Set(others) }
        : { mode: "show", runs: kept },
  });
}
