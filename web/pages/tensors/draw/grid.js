// The canvas of a table of elements: a picture of a pixel an element stretched under the cells, numbers on top, labels at the edges.

import { cellText } from "../model/format.js";
import { cellsInSight, xOf, yOf } from "../model/window.js";
import { pixelsOf } from "./colours.js";
import { FONT, PADDING } from "./fonts.js";
import { drawLabels } from "./labels.js";
import { inksOf } from "./theme.js";

/** @typedef {import("../model/window.js").Frame} Frame */
/** @typedef {import("./theme.js").Inks} Inks */
/** @typedef {import("./theme.js").Look} Look */
/** @typedef {import("../model/layout.js").Cells & {elements: import("../model/npy.js").Elements, numbers: ArrayLike<number>}} Tile */
/** @typedef {{row: number, column: number}} Cell */

/** Pictures of tiles, made again when the colours change. @type {WeakMap<Tile, {key: string, picture: HTMLCanvasElement}>} */
const pictures = new WeakMap();

/** @param {HTMLCanvasElement} canvas @param {Frame} frame @param {Look} look @param {import("../model/layout.js").Layout} layout
 * @param {Tile[]} tiles @param {Cell | null} cursor */
export function drawGrid(canvas, frame, look, layout, tiles, cursor) {
  const context = fit(canvas, frame);
  const inks = inksOf(look);
  context.fillStyle = inks.surface;
  context.fillRect(0, 0, frame.width, frame.height);
  context.save();
  context.beginPath();
  context.rect(frame.headWidth, frame.headHeight, frame.width, frame.height);
  context.clip();
  const cells = cellsInSight(frame);
  context.imageSmoothingEnabled = false;
  if (look.scale || look.isMap) for (const tile of tiles) drawPicture(context, frame, cells, tile, look, inks);
  if (!look.isMap) {
    drawLines(context, frame, cells, inks);
    for (const tile of tiles) drawNumbers(context, frame, cells, tile, look, inks);
  }
  if (cursor) drawCursor(context, frame, cursor, inks);
  context.restore();
  drawLabels(context, frame, cells, layout, cursor, inks);
}

/** @param {HTMLCanvasElement} canvas @param {Frame} frame */
function fit(canvas, { width, height }) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  const [wide, high] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  return context;
}

/** @param {Tile} tile @param {Look} look @param {Inks} inks */
function pictureOf(tile, { scale }, inks) {
  const found = pictures.get(tile);
  if (found?.key === inks.key) return found.picture;
  const picture = document.createElement("canvas");
  picture.width = tile.right - tile.left;
  picture.height = tile.bottom - tile.top;
  const pixels = pixelsOf(tile.numbers, scale ?? { isDiverging: false, lo: 0, hi: 0 }, inks.shades, inks.damage);
  const image = new ImageData(picture.width, picture.height);
  image.data.set(pixels); // The last row of a broken dimension may be short.
  picture.getContext("2d")?.putImageData(image, 0, 0);
  pictures.set(tile, { key: inks.key, picture });
  return picture;
}

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {import("../model/layout.js").Cells} cells @param {Tile} tile
 * @param {Look} look @param {Inks} inks */
function drawPicture(context, frame, cells, tile, look, inks) {
  const { cellWidth, cellHeight } = frame;
  const [top, bottom] = [Math.max(cells.top, tile.top), Math.min(cells.bottom, tile.bottom)];
  const [left, right] = [Math.max(cells.left, tile.left), Math.min(cells.right, tile.right)];
  const picture = pictureOf(tile, look, inks);
  context.drawImage(
    picture,
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

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {import("../model/layout.js").Cells} cells @param {Inks} inks */
function drawLines(context, frame, cells, inks) {
  const [right, bottom] = [xOf(frame, cells.right), yOf(frame, cells.bottom)];
  context.fillStyle = inks.surface;
  for (let row = cells.top; row <= cells.bottom; row++)
    context.fillRect(frame.headWidth, yOf(frame, row) - 1, right - frame.headWidth, 1);
  for (let column = cells.left; column <= cells.right; column++)
    context.fillRect(xOf(frame, column) - 1, frame.headHeight, 1, bottom - frame.headHeight);
}

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {import("../model/layout.js").Cells} cells @param {Tile} tile
 * @param {Look} look @param {Inks} inks */
function drawNumbers(context, frame, cells, tile, { format }, inks) {
  const wide = tile.right - tile.left;
  context.font = FONT;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (let row = Math.max(cells.top, tile.top); row < Math.min(cells.bottom, tile.bottom); row++) {
    const y = yOf(frame, row) + frame.cellHeight / 2;
    for (let column = Math.max(cells.left, tile.left); column < Math.min(cells.right, tile.right); column++) {
      const index = (row - tile.top) * wide + column - tile.left;
      if (index >= tile.numbers.length) break;
      const value = tile.numbers[index];
      context.fillStyle = Number.isFinite(value) ? (value === 0 ? inks.faint : inks.text) : inks.alarm;
      context.fillText(cellText(tile.elements, index, format), xOf(frame, column + 1) - PADDING, y);
    }
  }
}

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {Cell} cursor @param {Inks} inks */
function drawCursor(context, frame, { row, column }, inks) {
  const grow = frame.cellWidth < 12 ? 1 : -0.5;
  context.strokeStyle = inks.accent;
  context.lineWidth = 2;
  context.strokeRect(
    xOf(frame, column) - grow - 0.5,
    yOf(frame, row) - grow - 0.5,
    frame.cellWidth + 2 * grow,
    frame.cellHeight + 2 * grow,
  );
}

/** The element of a cell in some tiles.
 * @param {Tile[]} tiles @param {Cell} cell */
export function elementAt(tiles, { row, column }) {
  const tile = tiles.find(
    ({ top, bottom, left, right }) => row >= top && row < bottom && column >= left && column < right,
  );
  const index = tile ? (row - tile.top) * (tile.right - tile.left) + column - tile.left : -1;
  return tile && index < tile.numbers.length ? { elements: tile.elements, index, number: tile.numbers[index] } : null;
}
