// The lines between two neighbouring axes: all runs faintly, and over them those that are kept in their colours.

import { rgbOf } from "../../../charts/rgb.js";
import { drawAcross } from "./line_raster.js";
import { heightAt } from "./parallel_axes.js";

/** @typedef {import("../../../charts/rgb.js").Rgb} Rgb */

/** What one strip draws. Whatever is another object has changed.
 * @typedef {object} Strip
 * @property {Float32Array} left places of the runs on its left axis
 * @property {Float32Array} right
 * @property {number} width in CSS pixels
 * @property {import("./parallel_axes.js").Frame} frame
 * @property {readonly number[]} rows all that are shown
 * @property {readonly number[]} kept those that stand out
 * @property {{rgb: Rgb[], of: Uint8Array}} inks
 * @property {string} ground @property {string} faint colours
 */

/** Lines up to which they are drawn as broad strokes. */
const FEW = 80;

/** Draws a strip, and remembers what does not change while a brush is moved. */
export class StripPainter {
  /** What the remembered ground was drawn for. @type {unknown[]} */
  #drawnFor = [];
  /** @type {Uint8ClampedArray | null} */
  #ground = null;

  /** @param {HTMLCanvasElement} canvas @param {Strip} strip */
  draw(canvas, strip) {
    const width = Math.max(1, Math.round(strip.width * devicePixelRatio));
    const height = Math.max(1, Math.round(strip.frame.height * devicePixelRatio));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    if (strip.rows.length <= FEW) return strokeAll(context, strip);
    const image = context.createImageData(width, height);
    const pixels = { bytes: image.data, width, height };
    pixels.bytes.set(this.#groundOf(strip, width, height));
    const alpha = strip.kept.length > 800 ? 140 : strip.kept.length > FEW ? 190 : 250;
    drawRows(pixels, strip, strip.kept, (row) => strip.inks.rgb[strip.inks.of[row]], alpha);
    context.putImageData(image, 0, 0);
  }

  /** All runs, unless all are kept. @param {Strip} strip @param {number} width @param {number} height */
  #groundOf(strip, width, height) {
    const { left, right, frame, rows, kept, ground, faint } = strip;
    const isAll = kept.length === rows.length;
    const now = [left, right, frame, rows, ground, faint, width, isAll];
    if (this.#ground && now.every((part, at) => part === this.#drawnFor[at])) return this.#ground;
    const [red, green, blue] = rgbOf(ground);
    const bytes = new Uint8ClampedArray(4 * width * height);
    new Uint32Array(bytes.buffer).fill(((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0);
    const ink = rgbOf(faint);
    if (!isAll) drawRows({ bytes, width, height }, strip, rows, () => ink, rows.length > 400 ? 70 : 120);
    this.#drawnFor = now;
    return (this.#ground = bytes);
  }
}

/** @param {import("./line_raster.js").Pixels} pixels @param {Strip} strip @param {readonly number[]} rows @param {(row: number) => Rgb} inkOf @param {number} alpha */
function drawRows(pixels, { left, right, frame }, rows, inkOf, alpha) {
  for (const row of rows)
    drawAcross(
      pixels,
      heightAt(left[row], frame) * devicePixelRatio,
      heightAt(right[row], frame) * devicePixelRatio,
      inkOf(row),
      alpha,
    );
}

/** @param {CanvasRenderingContext2D} context @param {Strip} strip */
function strokeAll(context, { left, right, frame, rows, kept, inks, ground, faint }) {
  const { width, height } = context.canvas;
  const stroke = (
    /** @type {readonly number[]} */ some,
    /** @type {(row: number) => string} */ inkOf,
    /** @type {number} */ broad,
  ) => {
    context.lineWidth = broad * devicePixelRatio;
    for (const row of some) {
      context.strokeStyle = inkOf(row);
      context.beginPath();
      context.moveTo(0, heightAt(left[row], frame) * devicePixelRatio);
      context.lineTo(width, heightAt(right[row], frame) * devicePixelRatio);
      context.stroke();
    }
  };
  context.globalAlpha = 1;
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);
  context.globalAlpha = 0.6;
  if (kept.length < rows.length) stroke(rows, () => faint, 1);
  context.globalAlpha = 0.9;
  stroke(kept, (row) => `rgb(${inks.rgb[inks.of[row]].join(" ")})`, 1.5);
}
