// The table of the runs that the brushes keep.

import { computed } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { alertMark } from "../../controls/alert_mark.js";
import { ICONS } from "../../controls/icons.js";
import { nameOf } from "../../controls/run_name.js";
import { baselineMark, damageMark, runLink, runSwatch } from "../../controls/run_table/name_cell.js";
import { showSwitch } from "../../controls/run_table/row_boxes.js";
import { followPointed, RunTable } from "../../controls/run_table/run_table.js";
import { directionOf } from "../../data/series/directions.js";
import { printView } from "../../data/view/address.js";
import { panel } from "../../data/view/pointer.js";
import { narrow, view } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { cell, widthOf } from "./cells.js";
import { groupOf, titleOf } from "./column_menu.js";
import { LineageElement } from "./lineage_element.js";
import { lineages } from "./model/runs.js";
import { styleOfRow } from "./run_colours.js";
import { brushes, choose, clearBrushes, showAll, sortBy, sorting, visibility } from "./settings.js";
import { columnIds, keptRuns, rowCount, sortedRows, sources, tableColumns } from "./state.js";
import { tableToolbar } from "./table_toolbar.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/run_plots/columns.js").Column} Column */

const [NAME_WIDTH, NARROW_NAME_WIDTH] = [290, 216];
/** Characters of a name for which the first column has room. */
const [NAME, NARROW_NAME] = [20, 12];

/** The address of the overview page without a run, or the settings of this page, which change while a brush moves. */
const overviewAddress = computed(() =>
  printView({ ...view.value, page: "overview", selection: { mode: "hide", runs: new Set() }, own: {} }),
);

const columns = computed(() =>
  columnIds.value.map((id) => {
    const column = /** @type {Column} */ (tableColumns.value.get(id));
    const label = titleOf(column);
    return {
      id,
      group: groupOf(column),
      label,
      isNumber: column.isNumber,
      width: widthOf(column, label),
      draw: (/** @type {number} */ row) => cell(column, row),
      downFirst: isDescendingFirst(column),
    };
  }),
);

/** @param {Column} column */
const isDescendingFirst = ({ section, name, isNumber }) =>
  isNumber && (section === "metric" || section === "last") && directionOf(name) === "max";

const lines = computed(() => sortedRows.value.map((row) => ({ run: sources.value[row].run, row, of: "" })));

/** @param {number} _row @param {string} run */
function nameCell(_row, run) {
  const problems = lineages.rows.value.get(run)?.problems ?? [];
  return html`${showSwitch(run)}${runSwatch(styleOfRow.value(run))}
    ${runLink(run, overviewAddress.value, narrow.value ? NARROW_NAME : NAME)}
    ${problems.length ? damageMark(problems.join("\n")) : nothing}${alertMark(run)}${baselineMark(run)}
    <button class="quiet" data-key="details" title=${t("rail.details")}
      aria-label=${`${t("rail.details")}: ${nameOf(run)}`}
      @click=${() => (panel.value = { kind: "run", run })}>${ICONS.details}</button>`;
}

/** @type {RunTable<number>} */
export const table = new RunTable({
  label: () => t("lineage.table"),
  columns: () => columns.value,
  lines: () => lines.value,
  keptRuns: () => keptRuns.value,
  nameWidth: () => (narrow.value ? NARROW_NAME_WIDTH : NAME_WIDTH),
  name: nameCell,
  sorting,
  sortBy,
  choose: (ids) => choose("columns", ids),
  noMatch,
});

/** Why the table is empty. */
function noMatch() {
  return html`<div class="no-match" data-state="no_match"><p>${t("lineage.no_match", { n: grouped(rowCount.value) })}</p>
  ${
    brushes.value.size
      ? html`<button class="plain"
        @click=${clearBrushes}>${t("lineage.clear_brushes", { n: brushes.value.size })}</button>`
      : nothing
  }
  ${
    visibility.value ? html`<button class="plain" @click=${showAll}>${t("lineage.show_all")}</button>` : nothing
  }</div>`;
}

class LineageTable extends LineageElement {
  begin() {
    table.restore();
    return [followPointed()];
  }

  template() {
    return html`${tableToolbar()}${table.template()}`;
  }
}

customElements.define("lineage-table", LineageTable);
