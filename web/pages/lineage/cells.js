// The cells of the table: recorded values, labels and notes.

import { html } from "lit-html";
import { labelChips } from "../../controls/label_chips.js";
import { firstLine } from "../../controls/markdown/first_line.js";
import { fractionRoom, numberCell } from "../../controls/number_cell.js";
import { columnWidth } from "../../controls/run_table/column_width.js";
import { columnFormat, inColumn, plainText, wholePart } from "../../i18n/numbers.js";

/** @typedef {import("../../controls/run_plots/columns.js").Column} Column */

/** A cache: columns never change. @type {WeakMap<Column, import("../../i18n/numbers.js").ColumnFormat>} */
const formats = new WeakMap();

/** Results have aligned decimals; other values are shown as recorded. @param {Column} column */
function formatOf(column) {
  if (column.section !== "metric" && column.section !== "last" && column.id !== "model:loss") return null;
  const format =
    formats.get(column) ?? columnFormat(column.values.flatMap((value) => (typeof value === "number" ? [value] : [])));
  formats.set(column, format);
  return format;
}

/** A cache too. @type {WeakMap<Column, number>} */
const rooms = new WeakMap();

/** @param {Column} column */
function roomOf(column) {
  const room = rooms.get(column) ?? fractionRoom(column.values);
  rooms.set(column, room);
  return room;
}

/** The numbers of a column as they are shown, with room for the fractions of all.
 * @param {Column} column @returns {Iterable<string>} */
function* numberTexts(column) {
  const format = formatOf(column);
  for (const value of column.values)
    if (typeof value === "number")
      yield format ? inColumn(value, format) : wholePart(plainText(value)) + "0".repeat(roomOf(column));
}

/** @param {Column} column @param {number} row */
export function cell(column, row) {
  const value = column.values[row];
  if (value === null || value === undefined) return html`<span class="dim">–</span>`;
  if (column.id === "note:labels") return labelChips(String(value).split(", "));
  if (column.id === "note:note")
    return html`<span data-value=${value} title=${value}>${firstLine(String(value))}</span>`;
  if (typeof value !== "number") return html`<span data-value=${value} title=${value}>${value}</span>`;
  const format = formatOf(column);
  const text = format ? inColumn(value, format) : numberCell(value, roomOf(column));
  return html`<span class=${Number.isFinite(value) ? "" : "non-finite"} data-value=${value}
    title=${value}>${text}</span>`;
}

const LABELS_WIDTH = 140;
/** A cache too. @type {WeakMap<Column, number>} */
const widths = new WeakMap();

/** @param {Column} column @param {string} title @returns {number} in pixels */
export function widthOf(column, title) {
  const known = widths.get(column);
  if (known !== undefined) return known;
  const { id, isNumber, categories } = column;
  const width =
    id === "note:labels" ? LABELS_WIDTH : columnWidth(title, isNumber ? numberTexts(column) : categories, isNumber);
  widths.set(column, width);
  return width;
}
