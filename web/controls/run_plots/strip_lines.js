// Draws the lines between two neighbouring axes: all runs faintly, and on top the kept ones in their colours.

import { rgbOf } from "../../charts/rgb.js";
import { drawLine } from "./line_raster.js";
import { heightAt } from "./parallel_axes.js";

/** @typedef {import("../../charts/rgb.js").Rgb} Rgb */

/** What one strip shows: of the axes, those at its left and at its right, and their runs' places.
 * @typedef {Omit<import("./parallel_axes.js").Axes, "scales" | "runs"> & {
 *   left: Float32Array, right: Float32Array, background: string, faint: string}} Strip */

/** Up to so many lines are drawn as canvas strokes. */
const MAX_STROKES = 80;

/** Draws a strip, and caches the background, which does not change while a brush is moved. */
export class StripPainter {
  /** What the cached background depends on. @type {unknown[]} */
  #backgroundKey = [];
  /** @type {Uint8ClampedArray | null} */
  #background = null;

  /** @param {HTMLCanvasElement} canvas @param {Strip} strip */
  draw(canvas, strip) {
    const width = Math.max(1, Math.round(strip.spacing * devicePixelRatio));
    const height = Math.max(1, Math.round(strip.frame.height * devicePixelRatio));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    if (strip.rows.length <= MAX_STROKES) return strokeAll(context, strip);
    const image = context.createImageData(width, height);
    const pixels = { bytes: image.data, width, height };
    pixels.bytes.set(this.#backgroundOf(strip, width, height));
    const alpha = strip.kept.length > 800 ? 140 : strip.kept.length > MAX_STROKES ? 190 : 250;
    drawRows(pixels, strip, strip.kept, (row) => strip.colours.rgb[strip.colours.byRow[row]], alpha);
    context.putImageData(image, 0, 0);
  }

  /** The lines of all runs, unless all are kept. @param {Strip} strip @param {number} width @param {number} height */
  #backgroundOf(strip, width, height) {
    const { left, right, frame, rows, kept, background, faint } = strip;
    const isAll = kept.length === rows.length;
    const now = [left, right, frame, rows, background, faint, width, isAll];
    if (this.#background && now.every((part, at) => part === this.#backgroundKey[at])) return this.#background;
    const [red, green, blue] = rgbOf(background);
    const bytes = new Uint8ClampedArray(4 * width * height);
    new Uint32Array(bytes.buffer).fill(((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0);
    const rgb = rgbOf(faint);
    if (!isAll) drawRows({ bytes, width, height }, strip, rows, () => rgb, rows.length > 400 ? 70 : 120);
    this.#backgroundKey = now;
    return (this.#background = bytes);
  }
}

/**
 * @param {import("./line_raster.js").Pixels} pixels @param {Strip} strip @param {readonly number[]} rows
 * @param {(row: number) => Rgb} colourOf @param {number} alpha
 */
function drawRows(pixels, { left, right, frame }, rows, colourOf, alpha) {
  for (const row of rows)
    drawLine(
      pixels,
      heightAt(left[row], frame) * devicePixelRatio,
      heightAt(right[row], frame) * devicePixelRatio,
      colourOf(row),
      alpha,
    );
}

/** @param {CanvasRenderingContext2D} context @param {Strip} strip */
function strokeAll(context, { left, right, frame, rows, kept, colours, background, faint }) {
  const { width, height } = context.canvas;
  const stroke = (
    /** @type {readonly number[]} */ strokedRows,
    /** @type {(row: number) => string} */ colourOf,
    /** @type {number} */ lineWidth,
  ) => {
    context.lineWidth = lineWidth * devicePixelRatio;
    for (const row of strokedRows) {
      context.strokeStyle = colourOf(row);
      context.beginPath();
      context.moveTo(0, heightAt(left[row], frame) * devicePixelRatio);
      context.lineTo(width, heightAt(right[row], frame) * devicePixelRatio);
      context.stroke();
    }
  };
  context.globalAlpha = 1;
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  context.globalAlpha = 0.6;
  if (kept.length < rows.length) stroke(rows, () => faint, 1);
  context.globalAlpha = 0.9;
  stroke(kept, (row) => `rgb(${colours.rgb[colours.byRow[row]].join(" ")})`, 1.5);
}
