// Draws the indices of rows and columns at the edges of a table, as many as fit.

import { columnLabel, rowLabel } from "../model/layout.js";
import { xOf, yOf } from "../model/viewport.js";
import { LABEL_FONT, PADDING } from "./fonts.js";

/** @typedef {import("../model/viewport.js").Frame} Frame */
/** @typedef {import("./theme.js").GridTheme} GridTheme */

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {import("../model/layout.js").Cells} cells
 * @param {import("../model/layout.js").Layout} layout @param {import("./grid.js").Cell | null} cursor
 * @param {GridTheme} theme */
export function drawLabels(context, frame, cells, layout, cursor, theme) {
  const { headWidth, headHeight, width, height } = frame;
  context.fillStyle = theme.surface;
  context.fillRect(0, 0, width, headHeight);
  context.fillRect(0, 0, headWidth, height);
  context.fillStyle = theme.line;
  context.fillRect(0, headHeight - 1, width, 1);
  context.fillRect(headWidth - 1, 0, 1, height);
  context.font = LABEL_FONT;
  context.textBaseline = "middle";
  const hasLabel = (/** @type {number} */ place, /** @type {number} */ every, /** @type {number | undefined} */ at) =>
    place % every === 0 || place === at;
  const drawText = (
    /** @type {string} */ text,
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {boolean} */ isCursor,
  ) => {
    context.fillStyle = isCursor ? theme.text : theme.faint;
    context.fillText(text, x, y);
  };
  clipped(context, headWidth, 0, width - headWidth, headHeight, () => {
    const every = roundStride(48 / frame.cellWidth);
    const isDense = frame.cellWidth < 48;
    context.textAlign = isDense ? "left" : "right";
    for (let column = cells.left; column < cells.right; column++) {
      if (!hasLabel(column, every, isDense ? undefined : cursor?.column)) continue;
      drawText(
        columnLabel(layout, column),
        isDense ? xOf(frame, column) : xOf(frame, column + 1) - PADDING,
        headHeight / 2,
        column === cursor?.column,
      );
    }
  });
  clipped(context, 0, headHeight, headWidth, height - headHeight, () => {
    const every = roundStride(16 / frame.cellHeight);
    context.textAlign = "right";
    for (let row = cells.top; row < cells.bottom; row++) {
      if (!hasLabel(row, every, every > 1 ? undefined : cursor?.row)) continue;
      drawText(
        rowLabel(layout, row),
        headWidth - PADDING,
        yOf(frame, row) + Math.max(frame.cellHeight / 2, every > 1 ? 6 : 0),
        row === cursor?.row,
      );
    }
  });
}

/** The first of 1, 2, 5, 10, 20, ... that is not less than a number.
 * @param {number} least */
function roundStride(least) {
  for (let decade = 1; ; decade *= 10)
    for (const factor of [1, 2, 5]) if (factor * decade >= least) return factor * decade;
}

/**
 * @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} width
 * @param {number} height @param {() => void} draw
 */
function clipped(context, x, y, width, height, draw) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  draw();
  context.restore();
}
