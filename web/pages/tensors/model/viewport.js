// Which cells of a large table are in sight, and how far a browser's own scroll bar is from that.

/** Sizes in CSS pixels. @typedef {object} Frame
 * @property {number} rows
 * @property {number} columns
 * @property {number} cellWidth
 * @property {number} cellHeight
 * @property {number} headWidth of the row labels
 * @property {number} headHeight of the column labels
 * @property {number} width of the whole view, labels included
 * @property {number} height
 * @property {number} left how far the cells are scrolled
 * @property {number} top
 */

/** Browsers draw nothing behind some ten million pixels. */
const LONGEST = 8_000_000;

/** @param {Frame} frame @returns {import("./layout.js").Cells} */
export const cellsInSight = ({
  rows,
  columns,
  cellWidth,
  cellHeight,
  headWidth,
  headHeight,
  width,
  height,
  left,
  top,
}) => ({
  top: Math.min(rows, Math.floor(top / cellHeight)),
  bottom: Math.min(rows, Math.ceil((top + Math.max(0, height - headHeight)) / cellHeight)),
  left: Math.min(columns, Math.floor(left / cellWidth)),
  right: Math.min(columns, Math.ceil((left + Math.max(0, width - headWidth)) / cellWidth)),
});

/** Where a cell begins in the view.
 * @param {Frame} frame @param {number} column */
export const xOf = (frame, column) => frame.headWidth + column * frame.cellWidth - frame.left;
/** @param {Frame} frame @param {number} row */
export const yOf = (frame, row) => frame.headHeight + row * frame.cellHeight - frame.top;

/** The cell under a point of the view; null beside the cells.
 * @param {Frame} frame @param {number} x @param {number} y */
export function cellUnder(frame, x, y) {
  const column = Math.floor((x - frame.headWidth + frame.left) / frame.cellWidth);
  const row = Math.floor((y - frame.headHeight + frame.top) / frame.cellHeight);
  const isInside = x >= frame.headWidth && y >= frame.headHeight && column < frame.columns && row < frame.rows;
  return isInside ? { row, column } : null;
}

/** How long the scrolled content is made, and how many pixels of cells one pixel of it stands for.
 * @param {number} cells @param {number} cellSize @param {number} head @param {number} view */
export function barOf(cells, cellSize, head, view) {
  const whole = cells * cellSize + head;
  const length = Math.min(whole, LONGEST);
  return { length, ratio: length > view ? (whole - view) / (length - view) : 1 };
}

/** The least scrolling that brings a cell into sight.
 * @param {number} place @param {number} size @param {number} offset @param {number} room */
export const towards = (place, size, offset, room) =>
  Math.max(0, Math.min(place * size, Math.max(offset, (place + 1) * size - room)));
