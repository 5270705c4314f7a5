// The toolbar of the table: show or hide selected rows, download CSV, choose columns.

import { html, nothing } from "lit-html";
import { save } from "../../controls/download.js";
import { ICONS } from "../../controls/icons.js";
import { runNames } from "../../data/runs/catalogue.js";
import { marked, unmarkAll } from "../../data/runs/marked_runs.js";
import { EVERYTHING } from "../../data/runs/selection.js";
import { change } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { tableMenu } from "./column_menu.js";
import { csvOf } from "./model/csv.js";
import { lineages } from "./model/runs.js";
import { hide, showAll, showOnly, visibility } from "./settings.js";
import { columnIds, keptRuns, rowCount, sortedRows, sources, tableColumns } from "./state.js";
import { t } from "./words.js";

export function tableToolbar() {
  const runs = selectedRows();
  const shown = keptRuns.value.length;
  return html`
    <header class="table-bar">
      <h2>${t("lineage.table")}</h2>
      <span class="meta"
        data-count=${shown}>${t("top.runs_drawn", { shown: grouped(shown), n: grouped(rowCount.value) })}${
          lineages.isComplete.value ? nothing : html` · ${t("top.loading")} …`
        }</span>
      <span class="space"></span>
      ${
        runs.length
          ? html`
        <button class="plain" data-key="show-selected"
          @click=${() => showSelected(runs)}>${t("lineage.show_selected", { n: grouped(runs.length) })}</button>
        <button class="plain" data-key="hide-selected"
          @click=${() => hideSelected(runs)}>${t("lineage.hide_selected", { n: grouped(runs.length) })}</button>`
          : nothing
      }
      ${
        visibility.value
          ? html`<button class="plain" data-key="show-all" @click=${showAll}>${t("lineage.show_all")}</button>`
          : nothing
      }
      <button class="plain" data-key="csv" title=${t("lineage.csv_hint")} ?disabled=${!shown}
        @click=${downloadCsv}>${ICONS.csv}CSV</button>
      ${tableMenu()}
    </header>`;
}

/** The selected runs among the rows of the table. */
const selectedRows = () => keptRuns.value.filter((run) => marked.value.has(run));

/** @param {string[]} runs */
function showSelected(runs) {
  showOnly(runs);
  unmarkAll();
}

/** @param {string[]} runs */
function hideSelected(runs) {
  hide(runs);
  unmarkAll();
}

/** The table as CSV, in its order and with full precision. */
function tableAsCsv() {
  const columns = columnIds.peek().flatMap((id) => tableColumns.peek().get(id) ?? []);
  const lines = sortedRows.peek().map((row) => [sources.peek()[row].run, ...columns.map(({ values }) => values[row])]);
  return csvOf([["run", ...columns.map(({ id }) => id)], ...lines]);
}

const downloadCsv = () => save(new Blob([tableAsCsv()], { type: "text/csv" }), "lineage.csv");

/**
 * Makes the runs of the table the only visible ones on all pages; the address lists the visible or the hidden runs,
 * whichever are fewer.
 */
export function showOnlyKept() {
  const kept = new Set(keptRuns.peek());
  if (!kept.size) return;
  const others = runNames.peek().filter((run) => !kept.has(run));
  change({
    selection: !others.length
      ? EVERYTHING
      : others.length < kept.size
        ? { mode: "hide", runs: new Set(others) }
        : { mode: "show", runs: kept },
  });
}
