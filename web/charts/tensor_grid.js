// The canvas of a table of elements: a picture of a pixel an element stretched under the cells, numbers on top, labels at the edges.

import { columnLabel, rowLabel } from "../lib/tensor_layout.js";
import { cellText } from "../lib/tensor_format.js";
import { cssOf, mix, pixelsOf, rgbOf, shadesOf } from "../lib/tensor_colours.js";
import { cellsInSight } from "../lib/tensor_window.js";
import { tokens } from "./tokens.js";

/** @typedef {import("../lib/tensor_window.js").Frame} Frame */
/** @typedef {import("../lib/tensor_colours.js").Rgb} Rgb */
/** @typedef {import("../lib/tensor_layout.js").Cells & {elements: import("../lib/tensor_npy.js").Elements, numbers: ArrayLike<number>}} Tile */
/** @typedef {{row: number, column: number}} Cell */

/** @typedef {object} Look
 * @property {import("../lib/tensor_colours.js").ColourScale | null} scale null = without colours
 * @property {import("../lib/numbers.js").ColumnFormat} format
 * @property {boolean} isMap cells without numbers
 */

/** Colours made from the theme and the look. @typedef {{key: string, shades: Rgb[], damage: Rgb, text: string, faint: string, surface: string, line: string, accent: string, alarm: string}} Inks */

const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
export const FONT = `12px ${FAMILY}`;
const LABEL_FONT = `11px ${FAMILY}`;
/** Space between a number and the edge of its cell. */
export const PADDING = 8;
/** Text stays readable on colours mixed so far with the ground. */
const SOFT = { diverging: 0.55, sequential: 0.4 };

/** Pictures of tiles, made again when the colours change. @type {WeakMap<Tile, {key: string, picture: HTMLCanvasElement}>} */
const pictures = new WeakMap();
/** @type {Inks | null} */
let known = null;

/** @param {Look} look @returns {Inks} */
function inksOf({ scale, isMap }) {
  const theme = document.documentElement.dataset.theme ?? "light";
  const key = JSON.stringify([theme, scale, isMap]);
  if (known?.key === key) return known;
  const style = getComputedStyle(document.documentElement);
  const token = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const surface = rgbOf(token("--surface"));
  const strength = isMap ? 1 : scale?.isDiverging ? SOFT.diverging : SOFT.sequential;
  const shades = scale ? shadesOf(scale.isDiverging, surface, strength) : [surface];
  const damage = mix(surface, rgbOf(tokens().damage), isMap ? 1 : 0.2);
  known = {
    key, shades, damage, text: token("--text"), faint: token("--text-3"), surface: token("--surface"),
    line: token("--line"), accent: token("--accent"), alarm: tokens().damage,
  };
  return known;
}

/** The gradient of a legend, as it lies under the numbers.
 * @param {Look} look */
export function gradientOf(look) {
  const { shades } = inksOf(look);
  return `linear-gradient(90deg, ${[0, 32, 64, 96, 128, 160, 192, 224, 255].map((shade) => cssOf(shades[Math.min(shade, shades.length - 1)])).join(", ")})`;
}

/** @param {HTMLCanvasElement} canvas @param {Frame} frame @param {Look} look @param {import("../lib/tensor_layout.js").Layout} layout
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

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {import("../lib/tensor_layout.js").Cells} cells @param {Tile} tile
 * @param {Look} look @param {Inks} inks */
function drawPicture(context, frame, cells, tile, look, inks) {
  const { cellWidth, cellHeight } = frame;
  const [top, bottom] = [Math.max(cells.top, tile.top), Math.min(cells.bottom, tile.bottom)];
  const [left, right] = [Math.max(cells.left, tile.left), Math.min(cells.right, tile.right)];
  const picture = pictureOf(tile, look, inks);
  context.drawImage(
    picture, left - tile.left, top - tile.top, right - left, bottom - top,
    xOf(frame, left), yOf(frame, top), (right - left) * cellWidth, (bottom - top) * cellHeight,
  );
}

/** @param {Frame} frame @param {number} column */
const xOf = (frame, column) => frame.headWidth + column * frame.cellWidth - frame.left;
/** @param {Frame} frame @param {number} row */
const yOf = (frame, row) => frame.headHeight + row * frame.cellHeight - frame.top;

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {import("../lib/tensor_layout.js").Cells} cells @param {Inks} inks */
function drawLines(context, frame, cells, inks) {
  const [right, bottom] = [xOf(frame, cells.right), yOf(frame, cells.bottom)];
  context.fillStyle = inks.surface;
  for (let row = cells.top; row <= cells.bottom; row++) context.fillRect(frame.headWidth, yOf(frame, row) - 1, right - frame.headWidth, 1);
  for (let column = cells.left; column <= cells.right; column++) context.fillRect(xOf(frame, column) - 1, frame.headHeight, 1, bottom - frame.headHeight);
}

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {import("../lib/tensor_layout.js").Cells} cells @param {Tile} tile
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
  context.strokeRect(xOf(frame, column) - grow - 0.5, yOf(frame, row) - grow - 0.5, frame.cellWidth + 2 * grow, frame.cellHeight + 2 * grow);
}

/** Labels at the edges, as many as have room.
 * @param {CanvasRenderingContext2D} context @param {Frame} frame @param {import("../lib/tensor_layout.js").Cells} cells
 * @param {import("../lib/tensor_layout.js").Layout} layout @param {Cell | null} cursor @param {Inks} inks */
function drawLabels(context, frame, cells, layout, cursor, inks) {
  const { headWidth, headHeight, width, height } = frame;
  context.fillStyle = inks.surface;
  context.fillRect(0, 0, width, headHeight);
  context.fillRect(0, 0, headWidth, height);
  context.fillStyle = inks.line;
  context.fillRect(0, headHeight - 1, width, 1);
  context.fillRect(headWidth - 1, 0, 1, height);
  context.font = LABEL_FONT;
  context.textBaseline = "middle";
  const isNamed = (/** @type {number} */ place, /** @type {number} */ every, /** @type {number | undefined} */ at) => place % every === 0 || place === at;
  const write = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ isAt) => {
    context.fillStyle = isAt ? inks.text : inks.faint;
    context.fillText(text, x, y);
  };
  clipped(context, headWidth, 0, width - headWidth, headHeight, () => {
    const every = stride(48 / frame.cellWidth);
    const isDense = frame.cellWidth < 48;
    context.textAlign = isDense ? "left" : "right";
    for (let column = cells.left; column < cells.right; column++) {
      if (!isNamed(column, every, isDense ? undefined : cursor?.column)) continue;
      write(columnLabel(layout, column), isDense ? xOf(frame, column) : xOf(frame, column + 1) - PADDING, headHeight / 2, column === cursor?.column);
    }
  });
  clipped(context, 0, headHeight, headWidth, height - headHeight, () => {
    const every = stride(16 / frame.cellHeight);
    context.textAlign = "right";
    for (let row = cells.top; row < cells.bottom; row++) {
      if (!isNamed(row, every, every > 1 ? undefined : cursor?.row)) continue;
      write(rowLabel(layout, row), headWidth - PADDING, yOf(frame, row) + Math.max(frame.cellHeight / 2, every > 1 ? 6 : 0), row === cursor?.row);
    }
  });
}

/** 1, 2, 5, 10, 20, ...: the first that is not less.
 * @param {number} least */
function stride(least) {
  for (let decade = 1; ; decade *= 10) for (const factor of [1, 2, 5]) if (factor * decade >= least) return factor * decade;
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

/** How wide some texts are as cells or labels.
 * @param {string[]} texts @param {"cell" | "label"} kind */
export function widest(texts, kind) {
  measuring ??= /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  measuring.font = kind === "cell" ? FONT : LABEL_FONT;
  return Math.max(0, ...texts.map((text) => /** @type {CanvasRenderingContext2D} */ (measuring).measureText(text).width)) + 2 * PADDING;
}

/** @type {CanvasRenderingContext2D | null} */
let measuring = null;

/** The element of a cell in some tiles.
 * @param {Tile[]} tiles @param {Cell} cell */
export function elementAt(tiles, { row, column }) {
  const tile = tiles.find(({ top, bottom, left, right }) => row >= top && row < bottom && column >= left && column < right);
  const index = tile ? (row - tile.top) * (tile.right - tile.left) + column - tile.left : -1;
  return tile && index < tile.numbers.length ? { elements: tile.elements, index, number: tile.numbers[index] } : null;
}
