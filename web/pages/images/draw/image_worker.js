// A worker that fetches and decodes a picture, or computes the difference of two, off the main thread.

import { decode } from "fast-png";
import { coloursOf, isDeep, wholeWindow, widened, windowed } from "../model/deep.js";
import { differenceOf } from "../model/difference.js";

/** comparedUrl: null = only decode the picture.
 * window: of a picture with 16 bits a channel; null = all its values.
 * @typedef {{id: number, url: string, comparedUrl: string | null,
 * window: import("../model/deep.js").ValueWindow | null}} DecodeRequest */
/** levels: the picture and versions of it, each half as large as the previous one, for drawing it scaled down.
 * sizes: if they differ there is no difference.
 * deep: the values of a picture with 16 bits a channel, or of a difference of such, and the window that is drawn.
 * @typedef {{id: number, levels?: ImageBitmap[], statistics?: import("../model/difference.js").Statistics,
 * sizes?: [import("../model/camera.js").Size, import("../model/camera.js").Size],
 * deep?: import("../model/deep.js").Deep & {window: import("../model/deep.js").ValueWindow}, failed?: string}} DecodeResult */

/** Pictures up to this size get no smaller version. */
const SMALLEST = 512;

/** @param {string} url */
async function contentOf(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response.blob();
}

/** The values of a picture with 16 bits a channel, of which browsers decode eight; null = it has fewer.
 * @param {Blob} content @returns {Promise<import("../model/deep.js").Deep | null>} */
async function deepOf(content) {
  const bytes = new Uint8Array(await content.arrayBuffer());
  if (!isDeep(bytes)) return null;
  const { width, height, channels, data } = decode(bytes);
  return { width, height, channels, values: Uint16Array.from(data) };
}

/** A picture alone. @param {DecodeRequest} question @returns {Promise<DecodeResult>} */
async function pictureOf({ id, url, window }) {
  const content = await contentOf(url);
  const deep = await deepOf(content);
  if (deep) return { id, ...(await drawnDeep(deep, window ?? wholeWindow(deep))) };
  return { id, levels: levelsOf(await createImageBitmap(content, { colorSpaceConversion: "none" })) };
}

/** @param {import("../model/deep.js").Deep} deep @param {import("../model/deep.js").ValueWindow} window */
async function drawnDeep(deep, window) {
  const picture = await createImageBitmap(new ImageData(windowed(deep, window), deep.width));
  return { levels: levelsOf(picture), deep: { ...deep, window } };
}

/** Red, green, blue and opacity of each pixel, in 8 bits, or in 16 if the picture has them.
 * @param {string} url
 * @returns {Promise<{width: number, height: number, data: Uint8ClampedArray<ArrayBuffer> | Uint16Array<ArrayBuffer>}>} */
async function pixelsOf(url) {
  const content = await contentOf(url);
  const deep = await deepOf(content);
  if (deep) return { width: deep.width, height: deep.height, data: coloursOf(deep) };
  // Without colour conversion for the screen.
  const picture = await createImageBitmap(content, { premultiplyAlpha: "none", colorSpaceConversion: "none" });
  const context = contextOf(picture.width, picture.height);
  context.drawImage(picture, 0, 0);
  picture.close();
  return context.getImageData(0, 0, context.canvas.width, context.canvas.height);
}

/** The difference of two pictures of equal size; in 16 bits if one has them, drawn from zero to the largest.
 * @param {Uint8ClampedArray<ArrayBuffer> | Uint16Array<ArrayBuffer>} first
 * @param {Uint8ClampedArray<ArrayBuffer> | Uint16Array<ArrayBuffer>} second
 * @param {import("../model/camera.js").Size} size */
async function drawnDifference(first, second, { width, height }) {
  if (first instanceof Uint8ClampedArray && second instanceof Uint8ClampedArray) {
    const { pixels, statistics } = differenceOf(first, second);
    return { levels: levelsOf(await createImageBitmap(new ImageData(pixels, width))), statistics };
  }
  const [one, other] = [first, second].map((data) => (data instanceof Uint16Array ? data : widened(data)));
  const { pixels, statistics } = differenceOf(one, other);
  const deep = { width, height, channels: 4, values: pixels };
  return { ...(await drawnDeep(deep, [0, Math.max(1, statistics.largest)])), statistics };
}

/** @param {number} width @param {number} height */
function contextOf(width, height) {
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("no canvas");
  return context;
}

/** @param {ImageBitmap} picture */
function levelsOf(picture) {
  const levels = [picture];
  for (let last = picture; Math.max(last.width, last.height) > SMALLEST; levels.push(last)) {
    const context = contextOf(Math.ceil(last.width / 2), Math.ceil(last.height / 2));
    context.drawImage(last, 0, 0, context.canvas.width, context.canvas.height);
    last = context.canvas.transferToImageBitmap();
  }
  return levels;
}

/** @param {DecodeRequest} question @returns {Promise<DecodeResult>} */
async function resultOf(question) {
  const { id, url, comparedUrl } = question;
  try {
    if (!comparedUrl) return await pictureOf(question);
    const [first, second] = await Promise.all([pixelsOf(url), pixelsOf(comparedUrl)]);
    if (first.width !== second.width || first.height !== second.height) {
      return {
        id,
        sizes: [
          { width: first.width, height: first.height },
          { width: second.width, height: second.height },
        ],
      };
    }
    return { id, ...(await drawnDifference(first.data, second.data, first)) };
  } catch (error) {
    return { id, failed: String(error instanceof Error ? error.message : error) };
  }
}

self.onmessage = async (/** @type {MessageEvent<DecodeRequest>} */ { data }) => {
  const result = await resultOf(data);
  self.postMessage(result, {
    transfer: [...(result.levels ?? []), ...(result.deep ? [result.deep.values.buffer] : [])],
  });
};
