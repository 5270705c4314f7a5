// The head of the table: sections, and column names that sort on click.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { columnDragHandlers } from "../../controls/run_table/column_drag.js";
import { directionOf } from "../../data/series/directions.js";
import { groupOf } from "./column_menu.js";
import { choose, selected, sortBy, sorting } from "./settings.js";
import { columnIds, keptRows, sources } from "./state.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/run_plots/columns.js").Column} Column */

const drag = columnDragHandlers(
  () => columnIds.peek(),
  (ids) => choose("columns", ids),
);

/**
 * Whether a column is the first of its group, which has a separator line.
 * @param {Column[]} columns @param {number} at
 */
export const isFirstOfGroup = (columns, at) => at > 0 && groupOf(columns[at - 1]) !== groupOf(columns[at]);

/** @param {Column[]} columns */
export const tableHead = (columns) => html`
  <thead>
    <tr class="group-heads">
      <td class="name-cell"></td>
      ${groupSpans(columns).map(
        ({ group, count }) => html`<th colspan=${count} scope="colgroup">${t(`lineage.group_${group}`)}</th>`,
      )}
      <td></td>
    </tr>
    <tr class="heads">
      ${headCell("name", t("overview.col_name"), "name-cell", false)}
      ${repeat(
        columns,
        ({ id }) => id,
        (column, at) =>
          headCell(
            column.id,
            columnTitle(column),
            `${column.isNumber ? "number" : ""} ${isFirstOfGroup(columns, at) ? "first" : ""}`,
            isDescendingFirst(column),
          ),
      )}
      <td></td>
    </tr>
  </thead>`;

/** @param {Column} column */
const columnTitle = ({ id, name }) =>
  id === "note:labels" ? t("overview.col_labels") : id === "note:note" ? t("overview.col_note") : name;
/** @param {Column} column */
const isDescendingFirst = ({ section, name, isNumber }) =>
  isNumber && (section === "metric" || section === "last") && directionOf(name) === "max";

/** Groups of neighbouring columns. @param {Column[]} columns */
function groupSpans(columns) {
  /** @type {{group: ReturnType<typeof groupOf>, count: number}[]} */
  const groups = [];
  for (const column of columns) {
    const group = groupOf(column);
    const previous = groups.at(-1);
    if (previous?.group === group) previous.count++;
    else groups.push({ group, count: 1 });
  }
  return groups;
}

/** @param {string} id @param {string} label @param {string} kind @param {boolean} downFirst */
function headCell(id, label, kind, downFirst) {
  const at = sorting.value.findIndex((entry) => entry.id === id);
  const down = sorting.value[at]?.down;
  const order = at < 0 ? "none" : down ? "descending" : "ascending";
  const place = at >= 0 && sorting.value.length > 1 ? String(at + 1) : "";
  const isName = id === "name";
  return html`<th scope="col" class=${kind} data-column=${id} aria-sort=${order} draggable=${isName ? "false" : "true"}
    @dragstart=${drag.dragged} @dragover=${drag.hovered} @dragleave=${drag.left} @drop=${drag.dropped}
    @keydown=${drag.pressed}>${isName ? selectAll() : nothing}
    <button class="head-label" title=${`${label}\n${t("overview.sort_hint")}`}
      @click=${(/** @type {MouseEvent} */ event) => sortBy(id, event.shiftKey, downFirst)}>
      <span>${label}</span>${
        at < 0 ? nothing : html`<i class="sort-sign">${down ? "↓" : "↑"}${place}</i>`
      }</button></th>`;
}

/** Selects all shown rows, or none. */
function selectAll() {
  const runs = keptRows.value.map((row) => sources.value[row].run);
  const count = runs.filter((run) => selected.value.has(run)).length;
  const toggle = () => (selected.value = new Set(count < runs.length ? runs : []));
  return html`<input type="checkbox" .checked=${count > 0 && count === runs.length}
    .indeterminate=${count > 0 && count < runs.length} aria-label=${t("lineage.select_all_rows")}
    title=${t("lineage.select_all_rows")} @change=${toggle}>`;
}
