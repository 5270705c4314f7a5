// The cells in sight as a table in words, for those who cannot see the canvas.

import { html } from "lit-html";
import { elementAt } from "./draw/grid.js";
import { cellText } from "./model/format.js";
import { columnLabel, rowLabel } from "./model/layout.js";
import { cellsInSight } from "./model/window.js";

/** Rows and columns that are told. */
const MOST = { rows: 60, columns: 30 };

/** @param {import("./tensor_table.js").Table} table @param {import("./model/window.js").Frame} frame @param {import("./draw/grid.js").Tile[]} tiles */
export function inWords({ source: { layout }, look, label }, frame, tiles) {
  const { top, bottom, left, right } = cellsInSight(frame);
  const columns = range(left, right, MOST.columns);
  const rows = look.isMap ? [] : range(top, bottom, MOST.rows);
  const text = (/** @type {import("./draw/grid.js").Cell} */ cell) => {
    const found = elementAt(tiles, cell);
    return found ? cellText(found.elements, found.index, look.format) : "";
  };
  return html`<table><caption>${label}</caption>
    <thead><tr><td></td>${columns.map((column) => html`<th scope="col">${columnLabel(layout, column)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr><th scope="row">${rowLabel(layout, row)}</th>${columns.map((column) => html`<td>${text({ row, column })}</td>`)}</tr>`)}</tbody>
  </table>`;
}

/** @param {number} from @param {number} to excluded @param {number} most */
const range = (from, to, most) =>
  Array.from({ length: Math.max(0, Math.min(to - from, most)) }, (_, place) => from + place);
