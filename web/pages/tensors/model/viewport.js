// The visible cells of a large table, and the mapping between cell positions and scroll bars.

/** Sizes in CSS pixels. @typedef {object} Frame
 * @property {number} rows
 * @property {number} columns
 * @property {number} cellWidth
 * @property {number} cellHeight
 * @property {number} headWidth of the row labels
 * @property {number} headHeight of the column labels
 * @property {number} width of the whole view, labels included
 * @property {number} height
 * @property {number} left the scroll position of the cells
 * @property {number} top
 */

/** Browsers cannot lay out elements longer than some ten million pixels. */
const MAX_SCROLL_LENGTH = 8_000_000;

/** @param {Frame} frame @returns {import("./layout.js").Cells} */
export const visibleCells = ({
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

/** The position of a cell in the view.
 * @param {Frame} frame @param {number} column */
export const xOf = (frame, column) => frame.headWidth + column * frame.cellWidth - frame.left;
/** @param {Frame} frame @param {number} row */
export const yOf = (frame, row) => frame.headHeight + row * frame.cellHeight - frame.top;

/** The cell at a point of the view; null outside the cells.
 * @param {Frame} frame @param {number} x @param {number} y */
export function cellAt(frame, x, y) {
  const column = Math.floor((x - frame.headWidth + frame.left) / frame.cellWidth);
  const row = Math.floor((y - frame.headHeight + frame.top) / frame.cellHeight);
  const isInside = x >= frame.headWidth && y >= frame.headHeight && column < frame.columns && row < frame.rows;
  return isInside ? { row, column } : null;
}

/** The length of the scrolled content, and the number of cell pixels that one pixel of it represents.
 * @param {number} cells @param {number} cellSize @param {number} head @param {number} view */
export function scrollBarOf(cells, cellSize, head, view) {
  const fullLength = cells * cellSize + head;
  const length = Math.min(fullLength, MAX_SCROLL_LENGTH);
  return { length, ratio: length > view ? (fullLength - view) / (length - view) : 1 };
}

/** The scroll offset closest to the current one at which a cell is visible.
 * @param {number} place @param {number} size @param {number} offset @param {number} room */
export const scrollOffsetFor = (place, size, offset, room) =>
  Math.max(0, Math.min(place * size, Math.max(offset, (place + 1) * size - room)));
