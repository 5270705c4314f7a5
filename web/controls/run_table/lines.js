// Lines of a table of runs: a run, or a group.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { toggleGroup } from "../../data/groups/run_groups.js";
import { marked } from "../../data/runs/marked_runs.js";
import { isShown } from "../../data/runs/selection.js";
import { cursorRun, hoveredRun } from "../../data/view/pointer.js";
import { selection } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { ICONS } from "../icons.js";
import { isFirst } from "./columns.js";
import { markAllBox, markBox, showAllSwitch } from "./row_boxes.js";
import { t } from "./words.js";

/** @template Row @typedef {import("./columns.js").Column<Row>} Column */
/** @template Row @typedef {import("./columns.js").RowGroup<Row>} RowGroup */

/** @template Row
 * @param {import("./run_table.js").Model<Row>} model @param {{run: string, row: Row}} line
 * @param {readonly Column<Row>[]} columns @param {readonly [number, number]} range of the existing columns
 * @param {number} place of the line, from 1 @param {() => readonly string[]} listedRuns */
export function runLine({ name, rowClass }, { run, row }, columns, range, place, listedRuns) {
  const shown = isShown(selection.value, run);
  const isMarked = marked.value.has(run);
  return html`
    <tr class="run-line ${shown ? "" : "off"} ${isMarked ? "marked" : ""} ${cursorRun.value === run ? "cursor" : ""} ${
      hoveredRun.peek() === run ? "pointed" : ""
    } ${rowClass?.(row, run) ?? ""}" aria-rowindex=${place} data-run=${run} data-shown=${shown}
      @pointerenter=${() => (hoveredRun.value = run)}>
      <th scope="row" class="name-cell"><div>${markBox(run, listedRuns)}${name(row, run)}</div></th>
      ${cells(columns, range, ({ draw }) => draw(row))}
    </tr>`;
}

/** @template Row
 * @param {RowGroup<Row>} group @param {readonly Column<Row>[]} columns @param {readonly [number, number]} range
 * @param {number} place from 1 */
export const groupLine = (group, columns, range, place) => html`
  <tr class="group-line" aria-rowindex=${place} data-group=${group.key} data-count=${group.rows.length}>
    <th scope="rowgroup" class="name-cell"><div>
      ${markAllBox(group.runs, t("run_table.group_mark"))}
      ${showAllSwitch(group.runs, t("run_table.group_draw"))}
      ${groupToggle(group)}
    </div></th>
    ${cells(columns, range, ({ drawGroup }) => drawGroup?.(group.rows) ?? nothing)}
  </tr>`;

/** @template Row
 * @param {readonly Column<Row>[]} columns @param {readonly [number, number]} range
 * @param {(column: Column<Row>) => unknown} draw */
const cells = (columns, [from, to], draw) => html`
  ${from ? html`<td colspan=${from}></td>` : nothing}
  ${repeat(
    columns.slice(from, to),
    ({ id }) => id,
    (column, at) =>
      html`<td class="${column.isNumber ? "number" : ""} ${isFirst(columns, from + at) ? "first" : ""}"
        data-column=${column.id}>${draw(column)}</td>`,
  )}
  ${to < columns.length ? html`<td colspan=${columns.length - to}></td>` : nothing}
  <td></td>`;

/** Opens and closes a group. @param {RowGroup<unknown>} group */
export const groupToggle = ({ key, title, rows, isOpen }) => html`
  <button class="group-toggle" aria-expanded=${isOpen} @click=${() => toggleGroup(key)}>${ICONS.chevron}<span
    class="leaf">${title}</span></button>
  <span class="meta">${t("run_table.group_runs", { n: grouped(rows.length) })}</span>`;
