// The table of runs: the rows that brushes keep. Only the rows and columns in sight exist.

import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { RowSlots } from "../../controls/row_slots.js";
import { cursorRun, hoveredRun } from "../../data/pointer.js";
import { narrow } from "../../data/view.js";
import { LineagePart } from "./part.js";
import { columnIds, rowCount, sortedRows, sources, tableColumns } from "./rows.js";
import { brushes, clearBrushes, hiding, showAll } from "./settings.js";
import { tableBar } from "./table_bar.js";
import { tableHead } from "./table_head.js";
import { tableRow } from "./table_row.js";
import { t } from "./words.js";

/** @typedef {import("./model/columns.js").Column} Column */

/** Must be the height of a line in lineage_table.css. */
const ROW = 30;
const SPARE = 4;
/** The window of rows moves by so many, so that not every pixel scrolled costs a rendering. */
const STRIDE = 4;
const NAME_WIDTH = 264;
const NARROW_NAME_WIDTH = 184;

/** Where the table stood when it was last seen, in pixels. */
let top = 0;
let left = 0;
const rowInSight = signal(0);
/** Few before it is measured: the others come a frame later. */
const rowsInSight = signal(4);
/** Pixels scrolled to the right, in steps. */
const leftInSight = signal(0);
const widthInSight = signal(1200);
const LEFT_STRIDE = 120;

/** @param {Column} column */
const widthOf = ({ name, isNumber, categories, id }) => {
  const longest = isNumber ? 10 : categories.slice(0, 50).reduce((most, text) => Math.max(most, text.length), 0);
  return Math.min(220, Math.max(id === "note:tags" ? 140 : 84, 28 + name.length * 7.5, 30 + longest * 8.6));
};

class LineageTable extends LineagePart {
  #slots = new RowSlots();

  begin() {
    if (left || top) this.#view()?.scrollTo(left, top); // It takes a layout.
    return [effect(() => this.#standOut(hoveredRun.value)), this.followSize()];
  }

  #view() {
    return this.querySelector(".run-table");
  }

  /** @param {number} width */
  measure(width) {
    const view = this.#view();
    widthInSight.value = width;
    if (view) rowsInSight.value = Math.ceil(view.clientHeight / ROW);
  }

  template() {
    const columns = columnIds.value.map((id) => /** @type {Column} */ (tableColumns.value.get(id)));
    const nameWidth = narrow.value ? NARROW_NAME_WIDTH : NAME_WIDTH;
    const widths = columns.map(widthOf);
    const width = widths.reduce((sum, one) => sum + one, nameWidth);
    const window = columnsInSight(widths, nameWidth);
    const rows = sortedRows.value;
    const first = Math.max(0, Math.min(rowInSight.value, rows.length - rowsInSight.value) - SPARE);
    const last = Math.min(rows.length, first + rowsInSight.value + 2 * SPARE + STRIDE);
    const existing = rows.slice(first, last);
    const slot = this.#slots.assign(existing.map((row) => sources.value[row].run));
    return html`
      ${tableBar()}
      <div class="run-table" role="region" aria-label=${t("lineage.table")} tabindex="0" @scroll=${(/** @type {Event} */ event) => this.#scrolled(event)} data-lines=${rows.length} style="--lines:${rows.length}"
        @pointerleave=${() => (hoveredRun.value = null)}>
        <table aria-rowcount=${rows.length + 2} aria-colcount=${columns.length + 1} style="width:${width}px">
          <colgroup><col style="width:${nameWidth}px">${widths.map((one) => html`<col style="width:${one}px">`)}<col></colgroup>
          ${tableHead(columns)}
          <tbody>
            ${gap(first)}
            ${repeat(
              existing,
              (_, at) => slot[at],
              (row, at) => tableRow(row, columns, window, first + at),
            )}
            ${gap(rows.length - last)}
          </tbody>
        </table>
        ${rows.length ? nothing : noMatch()}
      </div>`;
  }

  /** @param {Event} event */
  #scrolled({ currentTarget }) {
    ({ scrollTop: top, scrollLeft: left } = /** @type {HTMLElement} */ (currentTarget));
    rowInSight.value = Math.floor(top / ROW / STRIDE) * STRIDE;
    leftInSight.value = Math.floor(left / LEFT_STRIDE) * LEFT_STRIDE;
  }

  /** @param {string | null} run */
  #standOut(run) {
    this.querySelector(".run-line.pointed")?.classList.remove("pointed");
    if (run !== null) this.querySelector(`.run-line[data-run=${JSON.stringify(run)}]`)?.classList.add("pointed");
  }
}

/** The columns that exist: from, to. The name of the run stays in sight before them.
 * @param {readonly number[]} widths @param {number} nameWidth @returns {[number, number]} */
function columnsInSight(widths, nameWidth) {
  const [left, right] = [leftInSight.value, leftInSight.value + widthInSight.value - nameWidth + LEFT_STRIDE];
  let at = 0;
  let [first, last] = [widths.length, 0];
  widths.forEach((width, index) => {
    if (at + width >= left && at <= right) [first, last] = [Math.min(first, index), index + 1];
    at += width;
  });
  return [Math.min(first, last), last];
}

/** Holds the place of rows that do not exist. @param {number} rows */
const gap = (rows) => html`<tr class="gap" aria-hidden="true" style="height:${rows * ROW}px"></tr>`;

/** Why there are no rows. */
const noMatch =
  () => html`<div class="no-match" data-state="no_match"><p>${t("lineage.no_match", { n: rowCount.value })}</p>
  ${brushes.value.size ? html`<button class="plain" @click=${clearBrushes}>${t("lineage.clear_brushes", { n: brushes.value.size })}</button>` : nothing}
  ${hiding.value ? html`<button class="plain" @click=${showAll}>${t("lineage.show_all")}</button>` : nothing}</div>`;

/** Moves the keyboard's place in the table and keeps it in sight. @param {number} by */
export function moveInTable(by) {
  const rows = sortedRows.peek();
  const names = rows.map((row) => sources.peek()[row].run);
  const at = names.indexOf(cursorRun.peek() ?? "");
  const next = Math.min(names.length - 1, Math.max(0, at + by));
  if (names[next] === undefined) return;
  cursorRun.value = names[next];
  const table = document.querySelector(".lineage .run-table");
  if (!table) return;
  const room = table.clientHeight - (table.querySelector("thead")?.offsetHeight ?? 0) - ROW;
  if (next * ROW < table.scrollTop) table.scrollTop = next * ROW;
  else if (next * ROW > table.scrollTop + room) table.scrollTop = next * ROW - room;
}

customElements.define("lineage-table", LineageTable);
