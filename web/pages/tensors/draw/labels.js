// The edges of a table of elements: the indices of its rows and columns, as many as have room.

import { columnLabel, rowLabel } from "../model/layout.js";
import { xOf, yOf } from "../model/window.js";
import { LABEL_FONT, PADDING } from "./fonts.js";

/** @typedef {import("../model/window.js").Frame} Frame */
/** @typedef {import("./theme.js").Inks} Inks */

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {import("../model/layout.js").Cells} cells
 * @param {import("../model/layout.js").Layout} layout @param {import("./grid.js").Cell | null} cursor @param {Inks} inks */
export function drawLabels(context, frame, cells, layout, cursor, inks) {
  const { headWidth, headHeight, width, height } = frame;
  context.fillStyle = inks.surface;
  context.fillRect(0, 0, width, headHeight);
  context.fillRect(0, 0, headWidth, height);
  context.fillStyle = inks.line;
  context.fillRect(0, headHeight - 1, width, 1);
  context.fillRect(headWidth - 1, 0, 1, height);
  context.font = LABEL_FONT;
  context.textBaseline = "middle";
  const isNamed = (/** @type {number} */ place, /** @type {number} */ every, /** @type {number | undefined} */ at) =>
    place % every === 0 || place === at;
  const write = (
    /** @type {string} */ text,
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {boolean} */ isAt,
  ) => {
    context.fillStyle = isAt ? inks.text : inks.faint;
    context.fillText(text, x, y);
  };
  clipped(context, headWidth, 0, width - headWidth, headHeight, () => {
    const every = stride(48 / frame.cellWidth);
    const isDense = frame.cellWidth < 48;
    context.textAlign = isDense ? "left" : "right";
    for (let column = cells.left; column < cells.right; column++) {
      if (!isNamed(column, every, isDense ? undefined : cursor?.column)) continue;
      write(
        columnLabel(layout, column),
        isDense ? xOf(frame, column) : xOf(frame, column + 1) - PADDING,
        headHeight / 2,
        column === cursor?.column,
      );
    }
  });
  clipped(context, 0, headHeight, headWidth, height - headHeight, () => {
    const every = stride(16 / frame.cellHeight);
    context.textAlign = "right";
    for (let row = cells.top; row < cells.bottom; row++) {
      if (!isNamed(row, every, every > 1 ? undefined : cursor?.row)) continue;
      write(
        rowLabel(layout, row),
        headWidth - PADDING,
        yOf(frame, row) + Math.max(frame.cellHeight / 2, every > 1 ? 6 : 0),
        row === cursor?.row,
      );
    }
  });
}

/** 1, 2, 5, 10, 20, ...: the first that is not less.
 * @param {number} least */
function stride(least) {
  for (let decade = 1; ; decade *= 10)
    for (const factor of [1, 2, 5]) if (factor * decade >= least) return factor * decade;
}

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} width @param {number} height @param {() => void} draw */
function clipped(context, x, y, width, height, draw) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  draw();
  context.restore();
}
