// The table of runs, or cards where it has no room.

import { computed, effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { alertMark } from "../../controls/alert_mark.js";
import { baselineMark, damageMark, runLink, runSwatch } from "../../controls/run_table/name_cell.js";
import { showSwitch } from "../../controls/run_table/row_boxes.js";
import { ROW, RunTable } from "../../controls/run_table/run_table.js";
import { excludedRuns, showHidden } from "../../data/notes/notes.js";
import { sortBy, sorting } from "../../data/runs/run_sort.js";
import { styles } from "../../data/runs/runs.js";
import { EVERYTHING } from "../../data/runs/selection.js";
import { toggleBest } from "../../data/series/best_values.js";
import { printView } from "../../data/view/address.js";
import { narrow, view } from "../../data/view/view.js";
import { CELLS } from "./cells.js";
import { columnWidths } from "./column_widths.js";
import { shownColumns } from "./columns.js";
import { filterFields } from "./filter_fields.js";
import { groupCell } from "./group_cells.js";
import { keptRuns, lines } from "./rows.js";
import { CARD, runCards } from "./run_cards.js";
import { chooseColumns, openRun } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./row.js").Row} Row */
/** @typedef {import("./columns.js").Column} Column */

const NAME_WIDTH = 300;
/** Characters of a name for which the first column, or a card, has room. */
const [NAME, NARROW_NAME] = [26, 17];
/** Larger selections are omitted from links, which would each contain all the names. */
const MAX_NAMES = 100;

/** The URL of the table, to which a link adds its run. */
const tableUrl = computed(() => {
  const { own, selection: chosen } = view.value;
  return printView({
    ...view.value,
    own: { ...own, "over.run": "" },
    selection: chosen.runs.size > MAX_NAMES ? EVERYTHING : chosen,
  });
});

const columns = computed(() =>
  shownColumns.value.map((column, at) => ({
    ...column,
    title: [column.metric || column.label, column.hint].filter(Boolean).join("\n"),
    isNumber: !["text", "time"].includes(column.kind) && column.look !== "sparkline",
    width: columnWidths.value[at],
    draw: (/** @type {Row} */ row) => CELLS[column.look](row, column),
    drawGroup: (/** @type {readonly Row[]} */ rows) => groupCell(rows, column),
    action: column.id.startsWith("best:") ? bestButton(column.metric ?? "") : nothing,
  })),
);

/** @param {string} tag */
const bestButton = (tag) => html`<button class="quiet turn" title=${t("overview.turn_best")}
  aria-label=${t("overview.turn_best_of", { tag })} @click=${() => toggleBest(tag)}>⇄</button>`;

/** @param {Row} row */
const nameCell = (row) => html`
  ${showSwitch(row.run)}${nameStart(row)}
  ${row.runRow.damaged_records ? damageMark(t("rail.damaged", { n: row.runRow.damaged_records })) : nothing}
  ${alertMark(row.run)}${baselineMark(row.run)}
  ${
    row.note.archived
      ? html`<span class="meta">${t("notes.is_archived")}</span>`
      : row.note.hidden
        ? html`<span class="meta">${t("notes.is_hidden")}</span>`
        : nothing
  }`;

/** @param {Row} row */
const nameStart = ({ run }) =>
  html`${runSwatch(styles.value.get(run))}${runLink(run, tableUrl.value, narrow.value ? NARROW_NAME : NAME)}`;

/** @type {RunTable<Row>} */
export const table = new RunTable({
  label: () => t("overview.table"),
  columns: () => columns.value,
  lines: () => lines.value,
  keptRuns: () => keptRuns.value,
  nameWidth: () => NAME_WIDTH,
  name: nameCell,
  rowClass: ({ note }) => (note.hidden || note.archived ? "away" : ""),
  sorting,
  sortBy,
  choose: chooseColumns,
  filterFields,
  noMatch,
  lineHeight: () => (narrow.peek() ? CARD : ROW),
});

/** The table, or cards where it has no room. */
export const runTable = () =>
  narrow.value ? table.region(runCards(lines.value, table.window, table.listedRuns, nameStart)) : table.template();

/** Restores the scroll position of the table until the returned function is called. */
export const followScrollPosition = () =>
  effect(() => {
    if (!openRun.value) queueMicrotask(table.restore);
  });

/** Why there are no rows: what is left may be hidden. */
function noMatch() {
  return html`<div class="no-match" data-state="no_match"><p>${t("overview.no_match")}</p>
  ${
    excludedRuns.value.size
      ? html`<button class="plain" @click=${() => showHidden(true)}>${t("empty.show_away")}</button>`
      : nothing
  }</div>`;
}
