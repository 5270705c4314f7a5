// The head of the table: what columns have in common, their names to sort by, and the fields to filter by value.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { columnDragHandlers } from "../../controls/column_drag.js";
import { ICONS } from "../../controls/icons.js";
import { stateWord } from "../../controls/state_mark.js";
import { sortBy, sorting } from "../../data/runs/run_sort.js";
import { toggleBest } from "../../data/series/best_values.js";
import { cutGroup } from "../../data/tags/names.js";
import { shownIds } from "./columns.js";
import { markAllBox, showAllSwitch } from "./row_boxes.js";
import { filterRules, keptRows } from "./rows.js";
import { chooseColumns, filterBy, filterRow, filters } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./columns.js").Column} Column */

const dragHandlers = columnDragHandlers(() => shownIds.peek(), chooseColumns);

const hasFields = () => filterRow.value || filters.value.size > 0;
/** The number of header rows. */
export const headRows = () => (hasFields() ? 3 : 2);

/** @param {Column[]} columns */
export const tableHead = (columns) => html`
  <thead>
    <tr class="group-heads">
      <td class="name-cell"></td>
      ${spans(columns).map(({ group, count }) =>
        group
          ? html`<th colspan=${count} scope="colgroup" title=${group}>${groupName(group)}</th>`
          : html`<td colspan=${count}></td>`,
      )}
      <td></td>
    </tr>
    <tr class="heads">
      ${head({ id: "name", label: t("overview.col_name") }, false, "name-cell")}
      ${repeat(
        columns,
        ({ id }) => id,
        (column, at) => head(column, isFirst(columns, at), isNumber(column) ? "number" : ""),
      )}
      <td></td>
    </tr>
    ${hasFields() ? filterFields(columns) : nothing}
  </thead>`;

/** @param {Column} column */
export const isNumber = ({ kind, look }) => kind !== "text" && look !== "time" && look !== "sparkline";

/** Is a column the first of its group, and has a line before it? @param {Column[]} columns @param {number} at */
export const isFirst = (columns, at) => at > 0 && columns[at].group !== columns[at - 1].group;

/** Counts neighbouring columns of the same group. @param {Column[]} columns */
function spans(columns) {
  /** @type {{group: string, count: number}[]} */
  const groups = [];
  for (const { group } of columns) {
    const before = groups.at(-1);
    if (before?.group === group) before.count++;
    else groups.push({ group, count: 1 });
  }
  return groups;
}

/** @param {string} group */
function groupName(group) {
  const [path, leaf] = cutGroup(group);
  return html`<span class="path">${path}</span>${leaf}`;
}

/** @param {{id: string, label: string, group?: string, downFirst?: boolean, isDrawing?: boolean, hint?: string, metric?: string}}
 * column
 * @param {boolean} first @param {string} kind */
function head(column, first, kind) {
  const { id, label, hint = "", downFirst = false, isDrawing = false, metric = "" } = column;
  const at = sorting.value.findIndex((column) => column.id === id);
  const down = sorting.value[at]?.down;
  const order = at < 0 ? "none" : down ? "descending" : "ascending";
  const place = at >= 0 && sorting.value.length > 1 ? String(at + 1) : "";
  const isMovable = kind !== "name-cell";
  const box = isMovable
    ? nothing
    : html`${markAllBox(keptRows.value, t("overview.mark_all"))}${showAllSwitch(
        keptRows.value,
        t("overview.draw_all"),
      )}`;
  return html`<th scope="col" class="${kind} ${first ? "first" : ""}" data-column=${id}
    aria-sort=${isDrawing ? nothing : order}
    draggable=${isMovable ? "true" : "false"} @dragstart=${dragHandlers.dragged} @dragover=${dragHandlers.hovered}
    @dragleave=${dragHandlers.left} @drop=${dragHandlers.dropped} @keydown=${dragHandlers.pressed}>${box}
    ${
      isDrawing
        ? html`<span class="head-label">${label}</span>`
        : html`<button class="head-label" title=${[metric || label, hint, t("overview.sort_hint")].filter(Boolean).join("\n")}
          @click=${(/** @type {MouseEvent} */ event) => sortBy(id, event.shiftKey, downFirst)}>
          <span>${label}</span>${
            at < 0
              ? nothing
              : html`<i
            class="sort-sign">${down ? "↓" : "↑"}${place}</i>`
          }</button>`
    }
    ${
      id.startsWith("best:")
        ? html`<button class="quiet turn" title=${t("overview.turn_best")} aria-label=${t("overview.turn_best_of", {
            tag: metric,
          })} @click=${() => toggleBest(metric)}>⇄</button>`
        : nothing
    }
  </th>`;
}

/** @param {Column[]} columns */
const filterFields = (columns) => html`
  <tr class="filter-fields">
    <td class="name-cell"><span class="meta">${ICONS.search}${t("overview.filter_values")}</span></td>
    ${repeat(
      columns,
      ({ id }) => id,
      (column, at) =>
        html`<td class=${isFirst(columns, at) ? "first" : ""}>${column.isDrawing ? nothing : filterInput(column)}</td>`,
    )}
    <td></td>
  </tr>`;

const EXAMPLES = { number: ">0.9", text: "!=sgd", duration: ">1h", time: "" };

/** @param {Column} column */
const exampleOf = ({ id, kind }) =>
  id === "state" ? `${stateWord("failed")} or ${stateWord("lost")}` : id === "error" ? "" : EXAMPLES[kind];

/** @param {Column} column */
function filterInput(column) {
  const { id, label, group } = column;
  const error = filterRules.value.get(id)?.error ?? "";
  const name = t("overview.filter_column", { name: group ? `${group} ${label}` : label });
  return html`<input type="text" spellcheck="false" autocomplete="off" data-filter=${id}
    .value=${filters.value.get(id) ?? ""} placeholder=${exampleOf(column)}
    aria-label=${name} aria-invalid=${Boolean(error)} title=${
      error ? t("overview.filter_broken", { part: error }) : t("overview.filter_hint")
    }
    @input=${(/** @type {InputEvent} */ event) => filterBy(id, /** @type {HTMLInputElement} */ (event.target).value)}>`;
}
