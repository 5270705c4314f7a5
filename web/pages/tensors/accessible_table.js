// The visible cells as an HTML table for screen readers.

import { html } from "lit-html";
import { elementAt } from "./draw/grid.js";
import { cellText } from "./model/format.js";
import { columnLabel, rowLabel } from "./model/layout.js";
import { visibleCells } from "./model/viewport.js";

/** The largest numbers of rows and columns. */
const MAX = { rows: 60, columns: 30 };

/**
 * @param {import("./tensor_table.js").Table} table @param {import("./model/viewport.js").Frame} frame
 * @param {import("./draw/grid.js").Tile[]} tiles
 */
export function accessibleTable({ source: { layout }, style, label }, frame, tiles) {
  const { top, bottom, left, right } = visibleCells(frame);
  const columns = range(left, right, MAX.columns);
  const rows = style.isMap ? [] : range(top, bottom, MAX.rows);
  const text = (/** @type {import("./draw/grid.js").Cell} */ cell) => {
    const element = elementAt(tiles, cell);
    return element ? cellText(element.elements, element.index, style.format) : "";
  };
  return html`<table><caption>${label}</caption>
    <thead><tr><td></td>${columns.map(
      (column) => html`<th scope="col">${columnLabel(layout, column)}</th>`,
    )}</tr></thead>
    <tbody>${rows.map(
      (row) =>
        html`<tr><th scope="row">${rowLabel(layout, row)}</th>${columns.map(
          (column) => html`<td>${text({ row, column })}</td>`,
        )}</tr>`,
    )}</tbody>
  </table>`;
}

/** @param {number} from @param {number} to excluded @param {number} maximum */
const range = (from, to, maximum) =>
  Array.from({ length: Math.max(0, Math.min(to - from, maximum)) }, (_, place) => from + place);
