// Draws a table of elements: a bitmap with one pixel per element scaled to the cells, numbers on top, labels at the
// edges.

import { cellText } from "../model/format.js";
import { visibleCells, xOf, yOf } from "../model/viewport.js";
import { pixelsOf } from "./colours.js";
import { FONT, PADDING } from "./fonts.js";
import { drawLabels } from "./labels.js";
import { gridTheme } from "./theme.js";

/** @typedef {import("../model/viewport.js").Frame} Frame */
/** @typedef {import("./theme.js").GridTheme} GridTheme */
/** @typedef {import("./theme.js").TableStyle} TableStyle */
/**
 * @typedef {import("../model/layout.js").Cells & {elements: import("../model/npy.js").Elements, numbers:
 *   ArrayLike<number>}} Tile
 */
/** @typedef {{row: number, column: number}} Cell */

/**
 * Bitmaps of tiles, replaced when the colours change.
 * @type {WeakMap<Tile, {key: string, bitmap: HTMLCanvasElement}>}
 */
const tileBitmaps = new WeakMap();

/**
 * @param {HTMLCanvasElement} canvas @param {Frame} frame @param {TableStyle} style
 * @param {import("../model/layout.js").Layout} layout
 * @param {Tile[]} tiles @param {Cell | null} cursor */
export function drawGrid(canvas, frame, style, layout, tiles, cursor) {
  const context = fitCanvas(canvas, frame);
  const theme = gridTheme(style);
  context.fillStyle = theme.surface;
  context.fillRect(0, 0, frame.width, frame.height);
  context.save();
  context.beginPath();
  context.rect(frame.headWidth, frame.headHeight, frame.width, frame.height);
  context.clip();
  const cells = visibleCells(frame);
  context.imageSmoothingEnabled = false;
  if (style.scale || style.isMap) for (const tile of tiles) drawTileBitmap(context, frame, cells, tile, style, theme);
  if (!style.isMap) {
    drawLines(context, frame, cells, theme);
    for (const tile of tiles) drawNumbers(context, frame, cells, tile, style, theme);
  }
  if (cursor) drawCursor(context, frame, cursor, theme);
  context.restore();
  drawLabels(context, frame, cells, layout, cursor, theme);
}

/** @param {HTMLCanvasElement} canvas @param {Frame} frame */
function fitCanvas(canvas, { width, height }) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  const [pixelWidth, pixelHeight] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth;
    canvas.height = pixelHeight;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  return context;
}

/** @param {Tile} tile @param {TableStyle} style @param {GridTheme} theme */
function tileBitmap(tile, { scale }, theme) {
  const cached = tileBitmaps.get(tile);
  if (cached?.key === theme.key) return cached.bitmap;
  const bitmap = document.createElement("canvas");
  bitmap.width = tile.right - tile.left;
  bitmap.height = tile.bottom - tile.top;
  const pixels = pixelsOf(tile.numbers, scale ?? { isDiverging: false, lo: 0, hi: 0 }, theme.shades, theme.damage);
  const image = new ImageData(bitmap.width, bitmap.height);
  image.data.set(pixels); // The last row of a wrapped dimension may be short.
  bitmap.getContext("2d")?.putImageData(image, 0, 0);
  tileBitmaps.set(tile, { key: theme.key, bitmap });
  return bitmap;
}

/**
 * @param {CanvasRenderingContext2D} context @param {Frame} frame @param {import("../model/layout.js").Cells} cells
 * @param {Tile} tile
 * @param {TableStyle} style @param {GridTheme} theme */
function drawTileBitmap(context, frame, cells, tile, style, theme) {
  const { cellWidth, cellHeight } = frame;
  const [top, bottom] = [Math.max(cells.top, tile.top), Math.min(cells.bottom, tile.bottom)];
  const [left, right] = [Math.max(cells.left, tile.left), Math.min(cells.right, tile.right)];
  const bitmap = tileBitmap(tile, style, theme);
  context.drawImage(
    bitmap,
    left - tile.left,
    top - tile.top,
    right - left,
    bottom - top,
    xOf(frame, left),
    yOf(frame, top),
    (right - left) * cellWidth,
    (bottom - top) * cellHeight,
  );
}

/**
 * @param {CanvasRenderingContext2D} context @param {Frame} frame @param {import("../model/layout.js").Cells} cells
 * @param {GridTheme} theme
 */
function drawLines(context, frame, cells, theme) {
  const [right, bottom] = [xOf(frame, cells.right), yOf(frame, cells.bottom)];
  context.fillStyle = theme.surface;
  for (let row = cells.top; row <= cells.bottom; row++)
    context.fillRect(frame.headWidth, yOf(frame, row) - 1, right - frame.headWidth, 1);
  for (let column = cells.left; column <= cells.right; column++)
    context.fillRect(xOf(frame, column) - 1, frame.headHeight, 1, bottom - frame.headHeight);
}

/**
 * @param {CanvasRenderingContext2D} context @param {Frame} frame @param {import("../model/layout.js").Cells} cells
 * @param {Tile} tile
 * @param {TableStyle} style @param {GridTheme} theme */
function drawNumbers(context, frame, cells, tile, { format }, theme) {
  const columns = tile.right - tile.left;
  context.font = FONT;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (let row = Math.max(cells.top, tile.top); row < Math.min(cells.bottom, tile.bottom); row++) {
    const y = yOf(frame, row) + frame.cellHeight / 2;
    for (let column = Math.max(cells.left, tile.left); column < Math.min(cells.right, tile.right); column++) {
      const index = (row - tile.top) * columns + column - tile.left;
      if (index >= tile.numbers.length) break;
      const value = tile.numbers[index];
      context.fillStyle = Number.isFinite(value) ? (value === 0 ? theme.faint : theme.text) : theme.alarm;
      context.fillText(cellText(tile.elements, index, format), xOf(frame, column + 1) - PADDING, y);
    }
  }
}

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {Cell} cursor @param {GridTheme} theme */
function drawCursor(context, frame, { row, column }, theme) {
  const grow = frame.cellWidth < 12 ? 1 : -0.5;
  context.strokeStyle = theme.accent;
  context.lineWidth = 2;
  context.strokeRect(
    xOf(frame, column) - grow - 0.5,
    yOf(frame, row) - grow - 0.5,
    frame.cellWidth + 2 * grow,
    frame.cellHeight + 2 * grow,
  );
}

/** Finds the element of a cell in some tiles; null if it is not loaded.
 * @param {Tile[]} tiles @param {Cell} cell */
export function elementAt(tiles, { row, column }) {
  const tile = tiles.find(
    ({ top, bottom, left, right }) => row >= top && row < bottom && column >= left && column < right,
  );
  const index = tile ? (row - tile.top) * (tile.right - tile.left) + column - tile.left : -1;
  return tile && index < tile.numbers.length ? { elements: tile.elements, index, number: tile.numbers[index] } : null;
}
