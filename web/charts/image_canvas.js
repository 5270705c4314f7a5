// A picture on a canvas as large as its frame: the part that the camera shows, pixel by pixel when enlarged.

import { FITTING, pixelAt, placement } from "../lib/image_camera.js";

/** @typedef {import("../lib/image_camera.js").Camera} Camera */
/** @typedef {import("../lib/image_camera.js").Size} Size */
/** @typedef {HTMLImageElement | ImageBitmap} Source */

/** From this scale on there is room for a grid between the pixels. */
const GRID_FROM = 24;
/** Black, so that no filter of brightness makes it stand out. */
const GRID = "rgb(0 0 0 / 32%)";

/** @param {Source} source @returns {Size} */
export const sizeOf = (source) =>
  source instanceof HTMLImageElement ? { width: source.naturalWidth, height: source.naturalHeight } : { width: source.width, height: source.height };

/** Remembers the picture, the camera and the frame of one canvas. */
export class ImageCanvas {
  /** @type {Source | null} */
  source = null;
  camera = FITTING;
  #frame = 0;
  #probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true, colorSpace: "srgb" });

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
  }

  /** In pixels of the page. @returns {Size} */
  get frame() {
    return { width: this.canvas.clientWidth, height: this.canvas.clientHeight };
  }

  /** @param {{source?: Source | null, camera?: Camera}} change */
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
    const { canvas, frame, source } = this;
    const ratio = devicePixelRatio;
    canvas.width = Math.round(frame.width * ratio);
    canvas.height = Math.round(frame.height * ratio);
    const context = canvas.getContext("2d");
    if (!context || !source || !canvas.width || !canvas.height) return;
    const size = sizeOf(source);
    const { scale, left, top } = placement(this.camera, frame, size);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.imageSmoothingEnabled = scale < 1;
    context.imageSmoothingQuality = "high";
    context.drawImage(source, left, top, size.width * scale, size.height * scale);
    if (scale >= GRID_FROM) drawGrid(context, { scale, left, top }, frame, size);
  }

  /** The pixel under a point of the frame and its colour: red, green, blue, opacity.
   * @param {{left: number, top: number}} at */
  read(at) {
    const { source } = this;
    const pixel = source && pixelAt(this.camera, this.frame, sizeOf(source), at);
    if (!source || !pixel || !this.#probe) return null;
    this.#probe.clearRect(0, 0, 1, 1);
    this.#probe.drawImage(source, pixel.x, pixel.y, 1, 1, 0, 0, 1, 1);
    return { ...pixel, colour: [...this.#probe.getImageData(0, 0, 1, 1).data] };
  }
}

/** @param {CanvasRenderingContext2D} context @param {{scale: number, left: number, top: number}} place
 * @param {Size} frame @param {Size} size */
function drawGrid(context, { scale, left, top }, frame, size) {
  const [firstX, lastX] = [Math.max(0, Math.ceil(-left / scale)), Math.min(size.width, Math.floor((frame.width - left) / scale))];
  const [firstY, lastY] = [Math.max(0, Math.ceil(-top / scale)), Math.min(size.height, Math.floor((frame.height - top) / scale))];
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
