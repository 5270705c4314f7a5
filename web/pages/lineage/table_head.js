// The head of the table: what columns tell of, their names to sort by.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { columnDragHandlers } from "../../controls/column_drag.js";
import { likelyBest } from "../../data/metrics.js";
import { groupOf } from "./column_menu.js";
import { columnIds, keptRows, sources } from "./rows.js";
import { choose, sortBy, sorting, ticked } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./model/columns.js").Column} Column */

const hands = columnDragHandlers(
  () => columnIds.peek(),
  (ids) => choose("columns", ids),
);

/** Does a column begin a group, so that a hairline stands before it? @param {Column[]} columns @param {number} at */
export const isFirst = (columns, at) => at > 0 && groupOf(columns[at - 1]) !== groupOf(columns[at]);

/** @param {Column[]} columns */
export const tableHead = (columns) => html`
  <thead>
    <tr class="group-heads">
      <td class="name-cell"></td>
      ${spans(columns).map(({ group, count }) => html`<th colspan=${count} scope="colgroup">${t(`lineage.group_${group}`)}</th>`)}
      <td></td>
    </tr>
    <tr class="heads">
      ${head("name", t("overview.col_name"), "name-cell", false)}
      ${repeat(
        columns,
        ({ id }) => id,
        (column, at) =>
          head(
            column.id,
            noteName(column),
            `${column.isNumber ? "number" : ""} ${isFirst(columns, at) ? "first" : ""}`,
            isDownFirst(column),
          ),
      )}
      <td></td>
    </tr>
  </thead>`;

/** @param {Column} column */
const noteName = ({ id, name }) =>
  id === "note:tags" ? t("overview.col_tags") : id === "note:note" ? t("overview.col_note") : name;
/** @param {Column} column */
const isDownFirst = ({ section, name, isNumber }) =>
  isNumber && (section === "metric" || section === "last") && likelyBest(name) === "max";

/** Neighbours of one group. @param {Column[]} columns */
function spans(columns) {
  /** @type {{group: ReturnType<typeof groupOf>, count: number}[]} */
  const found = [];
  for (const column of columns) {
    const group = groupOf(column);
    const before = found.at(-1);
    if (before?.group === group) before.count++;
    else found.push({ group, count: 1 });
  }
  return found;
}

/** @param {string} id @param {string} label @param {string} kind @param {boolean} downFirst */
function head(id, label, kind, downFirst) {
  const at = sorting.value.findIndex((one) => one.id === id);
  const down = sorting.value[at]?.down;
  const order = at < 0 ? "none" : down ? "descending" : "ascending";
  const place = at >= 0 && sorting.value.length > 1 ? String(at + 1) : "";
  const isName = id === "name";
  return html`<th scope="col" class=${kind} data-column=${id} aria-sort=${order} draggable=${isName ? "false" : "true"}
    @dragstart=${hands.dragged} @dragover=${hands.hovered} @dragleave=${hands.left} @drop=${hands.dropped} @keydown=${hands.pressed}>${isName ? tickAll() : nothing}
    <button class="head-label" title=${`${label}\n${t("overview.sort_hint")}`} @click=${(/** @type {MouseEvent} */ event) => sortBy(id, event.shiftKey, downFirst)}>
      <span>${label}</span>${at < 0 ? nothing : html`<i class="sort-sign">${down ? "↓" : "↑"}${place}</i>`}</button></th>`;
}

/** Ticks every row that is shown, or none. */
function tickAll() {
  const runs = keptRows.value.map((row) => sources.value[row].run);
  const count = runs.filter((run) => ticked.value.has(run)).length;
  const turn = () => (ticked.value = new Set(count < runs.length ? runs : []));
  return html`<input type="checkbox" .checked=${count > 0 && count === runs.length} .indeterminate=${count > 0 && count < runs.length} aria-label=${t("lineage.tick_all")} title=${t("lineage.tick_all")} @change=${turn}>`;
}
