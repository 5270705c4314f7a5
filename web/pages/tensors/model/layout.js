// The arrangement of a slice as a table, and the tiles in which the table is requested.

import { countOf, subPart } from "./slice.js";

/** @typedef {import("./slice.js").Part} Part */

/** The last free dimension is horizontal, all others are vertical; a single free dimension is wrapped into rows.
 * @typedef {object} Layout
 * @property {Part[]} parts
 * @property {number[]} free dimensions, outermost first
 * @property {number} rows
 * @property {number} columns
 * @property {number} count elements
 * @property {number} tileRows
 * @property {number} tileColumns
 */

/** Rows and columns, ends excluded. @typedef {{top: number, bottom: number, left: number, right: number}} Cells */

/** A part of the table that is loaded in one request. @typedef {Cells & {key: string, parts: Part[]}} Tile */

/** Elements per row if only one dimension is free. */
const WRAPPED_COLUMNS = 10;
/** Slices of up to so many elements are one tile. */
const MAX_SINGLE_TILE = 65_536;
const TILE_ROWS = 256;
const TILE_COLUMNS = 128;

/** @param {Part[]} parts @returns {Layout} */
export function layoutOf(parts) {
  const free = parts.flatMap((part, dim) => (part.isFree ? [dim] : []));
  const count = countOf(parts);
  const columns = free.length > 1 ? parts[free.at(-1) ?? 0].count : Math.min(count, WRAPPED_COLUMNS);
  const rows = columns ? Math.ceil(count / columns) : 0;
  const [tileRows, tileColumns] =
    count <= MAX_SINGLE_TILE ? [rows, columns] : [TILE_ROWS, Math.min(columns, TILE_COLUMNS)];
  return { parts, free, rows, columns, count, tileRows, tileColumns };
}

/** @param {Layout} layout */
const isWrapped = ({ free }) => free.length < 2;

/** The index in the tensor of a cell; null after the last element.
 * @param {Layout} layout @param {number} row @param {number} column @returns {number[] | null} */
export function indexAt(layout, row, column) {
  let place = row * layout.columns + column;
  if (column >= layout.columns || place >= layout.count) return null;
  const index = layout.parts.map(({ first }) => first);
  for (const dim of layout.free.toReversed()) {
    const { first, step, count } = layout.parts[dim];
    index[dim] = first + step * (place % count);
    place = Math.floor(place / count);
  }
  return index;
}

/** The cell of the n-th element of a slice.
 * @param {Layout} layout @param {number} n @returns {[row: number, column: number]} */
export const cellOf = ({ columns }, n) => [Math.floor(n / columns), n % columns];

/** The label of a row: its indices in the vertical dimensions.
 * @param {Layout} layout @param {number} row */
export function rowLabel(layout, row) {
  const index = indexAt(layout, row, 0);
  if (!index || !layout.free.length) return "";
  const down = isWrapped(layout) ? layout.free : layout.free.slice(0, -1);
  return down.map((dim) => index[dim]).join(", ");
}

/** The label of a column.
 * @param {Layout} layout @param {number} column */
export function columnLabel(layout, column) {
  if (!layout.free.length) return "";
  const { first, step } = layout.parts[layout.free.at(-1) ?? 0];
  return isWrapped(layout) ? (column * step < 0 ? "−" : "+") + Math.abs(column * step) : String(first + column * step);
}

/** The tiles that contain some cells.
 * @param {Layout} layout @param {Cells} cells @returns {Tile[]} */
export function tilesOf(layout, { top, bottom, left, right }) {
  /** @type {Tile[]} */
  const tiles = [];
  for (let row = top; row < bottom; ) {
    const band = bandOf(layout, row);
    const firstColumn = Math.floor(left / layout.tileColumns) * layout.tileColumns;
    for (let column = firstColumn; column < right; column += layout.tileColumns) {
      const end = Math.min(column + layout.tileColumns, layout.columns);
      const parts = isWrapped(layout) ? band.parts : selectColumns(layout, band.parts, column, end);
      tiles.push({ key: `${band.top},${column}`, parts, top: band.top, bottom: band.bottom, left: column, right: end });
    }
    row = band.bottom;
  }
  return tiles;
}

/** @param {Layout} layout @param {Part[]} parts @param {number} column @param {number} end */
function selectColumns({ free }, parts, column, end) {
  const dim = free.at(-1) ?? 0;
  return parts.with(dim, subPart(parts[dim], column, end - column));
}

/**
 * The rows of the tile that contains a row: a range of one dimension, all of the inner ones, one index of each outer
 * one.
 * @param {Layout} layout @param {number} row @returns {{top: number, bottom: number, parts: Part[]}} */
function bandOf(layout, row) {
  const { parts, free, tileRows, columns, rows, count } = layout;
  if (isWrapped(layout)) {
    const top = Math.floor(row / tileRows) * tileRows;
    const bottom = Math.min(top + tileRows, rows);
    if (!free.length) return { top, bottom, parts };
    return {
      top,
      bottom,
      parts: parts.with(
        free[0],
        subPart(parts[free[0]], top * columns, Math.min(bottom * columns, count) - top * columns),
      ),
    };
  }
  const down = free.slice(0, -1);
  let split = down.length - 1;
  let inner = 1;
  for (; split > 0 && inner * parts[down[split]].count <= tileRows; split--) inner *= parts[down[split]].count;
  const size = parts[down[split]].count;
  const bandSize = Math.min(size, Math.max(1, Math.floor(tileRows / inner)));
  const outer = Math.floor(row / (size * inner));
  const from = Math.floor((row % (size * inner)) / (bandSize * inner)) * bandSize;
  const length = Math.min(bandSize, size - from);
  const top = (outer * size + from) * inner;
  let band = parts.with(down[split], subPart(parts[down[split]], from, length));
  let place = outer;
  for (const dim of down.slice(0, split).reverse()) {
    band = band.with(dim, subPart(parts[dim], place % parts[dim].count, 1));
    place = Math.floor(place / parts[dim].count);
  }
  return { top, bottom: top + length * inner, parts: band };
}
