// The table of the runs that the brushes keep. Only visible rows and columns are rendered.

import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { columnWidth } from "../../controls/run_table/column_width.js";
import { RowSlots } from "../../controls/run_table/row_slots.js";
import { cursorRun, hoveredRun } from "../../data/view/pointer.js";
import { narrow } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { LineageElement } from "./lineage_element.js";
import { brushes, clearBrushes, showAll, visibility } from "./settings.js";
import { columnIds, rowCount, sortedRows, sources, tableColumns } from "./state.js";
import { tableHead } from "./table_head.js";
import { numberTexts, tableRow } from "./table_row.js";
import { tableToolbar } from "./table_toolbar.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/run_plots/columns.js").Column} Column */

/** Must equal the row height in table.css. */
const ROW_HEIGHT = 30;
const OVERSCAN = 4;
/** The rendered rows change in steps, so that not every scrolled pixel causes a rendering. */
const ROW_STRIDE = 4;
const NAME_WIDTH = 264;
const NARROW_NAME_WIDTH = 216;

/** The last scroll position, in pixels, which is restored when the page is opened again. */
let scrollTop = 0;
let scrollLeft = 0;
const firstVisibleRow = signal(0);
/** Few until the table is measured, one frame later. */
const visibleRowCount = signal(4);
/** The horizontal scroll position in pixels, in steps. */
const visibleLeft = signal(0);
const visibleWidth = signal(1200);
const LEFT_STRIDE = 120;

const LABELS_WIDTH = 140;

/** A cache: columns never change. @type {WeakMap<Column, number>} */
const knownWidths = new WeakMap();

/** @param {Column} column */
function widthOf(column) {
  const known = knownWidths.get(column);
  if (known !== undefined) return known;
  const { id, name, isNumber, categories } = column;
  const width =
    id === "note:labels" ? LABELS_WIDTH : columnWidth(name, isNumber ? numberTexts(column) : categories, isNumber);
  knownWidths.set(column, width);
  return width;
}

class LineageTable extends LineageElement {
  #slots = new RowSlots();

  begin() {
    if (scrollLeft || scrollTop) this.#view()?.scrollTo(scrollLeft, scrollTop); // Forces a layout.
    return [effect(() => this.#highlight(hoveredRun.value)), this.followSize()];
  }

  #view() {
    return this.querySelector(".run-table");
  }

  /** @param {number} width */
  measure(width) {
    const view = this.#view();
    visibleWidth.value = width;
    if (view) visibleRowCount.value = Math.ceil(view.clientHeight / ROW_HEIGHT);
  }

  template() {
    const columns = columnIds.value.map((id) => /** @type {Column} */ (tableColumns.value.get(id)));
    const nameWidth = narrow.value ? NARROW_NAME_WIDTH : NAME_WIDTH;
    const widths = columns.map(widthOf);
    const width = widths.reduce((sum, each) => sum + each, nameWidth);
    const window = visibleColumns(widths, nameWidth);
    const rows = sortedRows.value;
    const first = Math.max(0, Math.min(firstVisibleRow.value, rows.length - visibleRowCount.value) - OVERSCAN);
    const last = Math.min(rows.length, first + visibleRowCount.value + 2 * OVERSCAN + ROW_STRIDE);
    const renderedRows = rows.slice(first, last);
    const slot = this.#slots.assign(renderedRows.map((row) => sources.value[row].run));
    return html`
      ${tableToolbar()}
      <div class="run-table" role="region" aria-label=${t("lineage.table")} tabindex="0"
        @scroll=${(/** @type {Event} */ event) => this.#onScroll(event)} data-lines=${rows.length}
        style="--lines:${rows.length}"
        @pointerleave=${() => (hoveredRun.value = null)}>
        <table aria-rowcount=${rows.length + 2} aria-colcount=${columns.length + 1} style="width:${width}px">
          <colgroup><col style="width:${nameWidth}px">${widths.map(
            (each) => html`<col style="width:${each}px">`,
          )}<col></colgroup>
          ${tableHead(columns)}
          <tbody>
            ${spacer(first)}
            ${repeat(
              renderedRows,
              (_, at) => slot[at],
              (row, at) => tableRow(row, columns, window, first + at),
            )}
            ${spacer(rows.length - last)}
          </tbody>
        </table>
        ${rows.length ? nothing : noMatch()}
      </div>`;
  }

  /** @param {Event} event */
  #onScroll({ currentTarget }) {
    ({ scrollTop, scrollLeft } = /** @type {HTMLElement} */ (currentTarget));
    firstVisibleRow.value = Math.floor(scrollTop / ROW_HEIGHT / ROW_STRIDE) * ROW_STRIDE;
    visibleLeft.value = Math.floor(scrollLeft / LEFT_STRIDE) * LEFT_STRIDE;
  }

  /** @param {string | null} run */
  #highlight(run) {
    this.querySelector(".run-line.pointed")?.classList.remove("pointed");
    if (run !== null) this.querySelector(`.run-line[data-run=${JSON.stringify(run)}]`)?.classList.add("pointed");
  }
}

/** The range of columns to render, next to the sticky column of names.
 * @param {readonly number[]} widths @param {number} nameWidth @returns {[number, number]} */
function visibleColumns(widths, nameWidth) {
  const [left, right] = [visibleLeft.value, visibleLeft.value + visibleWidth.value - nameWidth + LEFT_STRIDE];
  let at = 0;
  let [first, last] = [widths.length, 0];
  widths.forEach((width, index) => {
    if (at + width >= left && at <= right) [first, last] = [Math.min(first, index), index + 1];
    at += width;
  });
  return [Math.min(first, last), last];
}

/** A spacer for rows that are not rendered. @param {number} rows */
const spacer = (rows) => html`<tr class="gap" aria-hidden="true" style="height:${rows * ROW_HEIGHT}px"></tr>`;

/** Why the table is empty. */
const noMatch =
  () => html`<div class="no-match" data-state="no_match"><p>${t("lineage.no_match", { n: grouped(rowCount.value) })}</p>
  ${
    brushes.value.size
      ? html`<button class="plain"
        @click=${clearBrushes}>${t("lineage.clear_brushes", { n: brushes.value.size })}</button>`
      : nothing
  }
  ${
    visibility.value ? html`<button class="plain" @click=${showAll}>${t("lineage.show_all")}</button>` : nothing
  }</div>`;

/** Moves the keyboard cursor in the table and scrolls to it. @param {number} by */
export function moveInTable(by) {
  const rows = sortedRows.peek();
  const names = rows.map((row) => sources.peek()[row].run);
  const at = names.indexOf(cursorRun.peek() ?? "");
  const next = Math.min(names.length - 1, Math.max(0, at + by));
  if (names[next] === undefined) return;
  cursorRun.value = names[next];
  const table = document.querySelector(".lineage .run-table");
  if (!table) return;
  const room = table.clientHeight - (table.querySelector("thead")?.offsetHeight ?? 0) - ROW_HEIGHT;
  if (next * ROW_HEIGHT < table.scrollTop) table.scrollTop = next * ROW_HEIGHT;
  else if (next * ROW_HEIGHT > table.scrollTop + room) table.scrollTop = next * ROW_HEIGHT - room;
}

customElements.define("lineage-table", LineageTable);
