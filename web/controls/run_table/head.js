// The head of a table of runs: the groups of columns, and their names to sort by, which move by dragging and keys.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { cutGroup } from "../../data/tags/names.js";
import { columnDragHandlers } from "./column_drag.js";
import { groupSpans, isFirst } from "./columns.js";
import { markAllBox, showAllSwitch } from "./row_boxes.js";
import { t } from "./words.js";

/** @template Row
 * @param {import("./run_table.js").Model<Row>} model
 * @returns {(columns: readonly import("./columns.js").Column<Row>[]) => unknown} draws its head */
export function tableHead({ columns: columnsOf, keptRuns, sorting, sortBy, choose }) {
  const drag = columnDragHandlers(() => columnsOf().map(({ id }) => id), choose);

  /** @param {import("./columns.js").Column<Row>} column @param {boolean} first */
  const head = ({ id, label, title, isNumber, isDrawing, downFirst = false, action }, first) => html`
    <th scope="col" class="${isNumber ? "number" : ""} ${first ? "first" : ""}" data-column=${id}
      aria-sort=${isDrawing ? nothing : orderOf(id)} draggable="true" @dragstart=${drag.dragged}
      @dragover=${drag.hovered} @dragleave=${drag.left} @drop=${drag.dropped} @keydown=${drag.pressed}>
      ${isDrawing ? html`<span class="head-label">${label}</span>` : sortButton(id, label, title ?? label, downFirst)}
      ${action ?? nothing}
    </th>`;

  const nameHead = () => html`<th scope="col" class="name-cell" data-column="name" aria-sort=${orderOf("name")}>
    ${markAllBox(keptRuns(), t("run_table.mark_all"))}${showAllSwitch(keptRuns(), t("run_table.draw_all"))}
    ${sortButton("name", t("overview.col_name"), t("overview.col_name"), false)}</th>`;

  /** @param {string} id */
  function orderOf(id) {
    const by = sorting.value.find((entry) => entry.id === id);
    return !by ? "none" : by.down ? "descending" : "ascending";
  }

  /** @param {string} id @param {string} label @param {string} title @param {boolean} downFirst */
  function sortButton(id, label, title, downFirst) {
    const at = sorting.value.findIndex((entry) => entry.id === id);
    const place = sorting.value.length > 1 ? String(at + 1) : "";
    return html`<button class="head-label" title=${`${title}\n${t("overview.sort_hint")}`}
      @click=${(/** @type {MouseEvent} */ event) => sortBy(id, event.shiftKey, downFirst)}>
      <span>${label}</span>${
        at < 0 ? nothing : html`<i class="sort-sign">${sorting.value[at].down ? "↓" : "↑"}${place}</i>`
      }</button>`;
  }

  return (columns) => html`
    <tr class="group-heads">
      <td class="name-cell"></td>
      ${groupSpans(columns).map(({ group, count }) =>
        group
          ? html`<th colspan=${count} scope="colgroup" title=${group}>${groupName(group)}</th>`
          : html`<td colspan=${count}></td>`,
      )}
      <td></td>
    </tr>
    <tr class="heads">
      ${nameHead()}
      ${repeat(
        columns,
        ({ id }) => id,
        (column, at) => head(column, isFirst(columns, at)),
      )}
      <td></td>
    </tr>`;
}

/** @param {string} group */
function groupName(group) {
  const [path, leaf] = cutGroup(group);
  return html`<span class="path">${path}</span>${leaf}`;
}
