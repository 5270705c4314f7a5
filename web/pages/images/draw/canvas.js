// Draws the part of a picture that the camera shows, with hard pixel edges when enlarged.

import { FITTING, pixelAt, placement } from "../model/camera.js";

/** @typedef {import("../model/camera.js").Camera} Camera */
/** @typedef {import("../model/camera.js").Size} Size */

/** Scale from which a grid is drawn between the pixels. */
const GRID_FROM = 24;
/** Black, so that a brightness filter does not amplify it. */
const GRID = "rgb(0 0 0 / 32%)";

/** The picture and camera of one canvas. */
export class ImageCanvas {
  /** The picture and versions of it, each half as large as the previous one; empty before the first picture.
   * @type {ImageBitmap[]} */
  levels = [];
  camera = FITTING;
  #frame = 0;
  #probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true, colorSpace: "srgb" });

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
  }

  /** In CSS pixels. @returns {Size} */
  get frame() {
    return { width: this.canvas.clientWidth, height: this.canvas.clientHeight };
  }

  /** The picture's size; null before the first picture. @returns {Size | null} */
  get size() {
    const [picture] = this.levels;
    return picture ? { width: picture.width, height: picture.height } : null;
  }

  /** @param {{levels?: ImageBitmap[], camera?: Camera}} change */
  show(change) {
    Object.assign(this, change);
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  end() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  #draw() {
    this.#frame = 0;
    const { canvas, frame, size, levels } = this;
    const ratio = devicePixelRatio;
    canvas.width = Math.round(frame.width * ratio);
    canvas.height = Math.round(frame.height * ratio);
    const context = canvas.getContext("2d");
    if (!context || !size || !canvas.width || !canvas.height) return;
    const { scale, left, top } = placement(this.camera, frame, size);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.imageSmoothingEnabled = scale < 1;
    context.drawImage(
      levels[levelFor(scale * ratio, levels.length)],
      left,
      top,
      size.width * scale,
      size.height * scale,
    );
    if (scale >= GRID_FROM) drawGrid(context, { scale, left, top }, frame, size);
  }

  /** The pixel at a point of the frame, and its colour as red, green, blue, opacity.
   * @param {{left: number, top: number}} at */
  read(at) {
    const { size } = this;
    const pixel = size && pixelAt(this.camera, this.frame, size, at);
    if (!pixel || !this.#probe) return null;
    this.#probe.clearRect(0, 0, 1, 1);
    this.#probe.drawImage(this.levels[0], pixel.x, pixel.y, 1, 1, 0, 0, 1, 1);
    return { ...pixel, colour: [...this.#probe.getImageData(0, 0, 1, 1).data] };
  }
}

/** The smallest level with at least one pixel per screen pixel.
 * @param {number} scale screen pixels per picture pixel @param {number} count of levels */
const levelFor = (scale, count) => Math.max(0, Math.min(count - 1, Math.floor(-Math.log2(scale))));

/** @param {CanvasRenderingContext2D} context @param {{scale: number, left: number, top: number}} place
 * @param {Size} frame @param {Size} size */
function drawGrid(context, { scale, left, top }, frame, size) {
  const [firstX, lastX] = [
    Math.max(0, Math.ceil(-left / scale)),
    Math.min(size.width, Math.floor((frame.width - left) / scale)),
  ];
  const [firstY, lastY] = [
    Math.max(0, Math.ceil(-top / scale)),
    Math.min(size.height, Math.floor((frame.height - top) / scale)),
  ];
  const [right, bottom] = [left + size.width * scale, top + size.height * scale];
  context.beginPath();
  for (let x = firstX; x <= lastX; x++) {
    context.moveTo(left + x * scale, Math.max(0, top));
    context.lineTo(left + x * scale, Math.min(frame.height, bottom));
  }
  for (let y = firstY; y <= lastY; y++) {
    context.moveTo(Math.max(0, left), top + y * scale);
    context.lineTo(Math.min(frame.width, right), top + y * scale);
  }
  context.strokeStyle = GRID;
  context.lineWidth = 1;
  context.stroke();
}
