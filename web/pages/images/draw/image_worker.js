// A worker that fetches and decodes a picture, or computes the difference of two, off the main thread.

import { decode } from "fast-png";
import { isDeep, wholeWindow, windowed } from "../model/deep.js";
import { differenceOf } from "../model/difference.js";

/** comparedUrl: null = only decode the picture.
 * window: of a picture with 16 bits a channel; null = all its values.
 * @typedef {{id: number, url: string, comparedUrl: string | null,
 * window: import("../model/deep.js").ValueWindow | null}} DecodeRequest */
/** levels: the picture and versions of it, each half as large as the previous one, for drawing it scaled down.
 * sizes: if they differ there is no difference.
 * deep: the values of a picture with 16 bits a channel, and the window of them that is drawn.
 * @typedef {{id: number, levels?: ImageBitmap[], statistics?: import("../model/difference.js").Statistics,
 * sizes?: [import("../model/camera.js").Size, import("../model/camera.js").Size],
 * deep?: import("../model/deep.js").Deep & {window: import("../model/deep.js").ValueWindow}, failed?: string}} DecodeResult */

/** Pictures up to this size get no smaller version. */
const SMALLEST = 512;

/** @param {string} url @param {ImageBitmapOptions} options
 * @returns {Promise<ImageBitmap>} without colour conversion for the screen */
const decoded = async (url, options) =>
  createImageBitmap(await contentOf(url), { ...options, colorSpaceConversion: "none" });

/** @param {string} url */
async function contentOf(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response.blob();
}

/** A picture alone: of one with 16 bits a channel, which browsers decode to eight, the window.
 * @param {DecodeRequest} question @returns {Promise<DecodeResult>} */
async function pictureOf({ id, url, window }) {
  const content = await contentOf(url);
  const bytes = new Uint8Array(await content.arrayBuffer());
  if (!isDeep(bytes)) {
    const picture = await createImageBitmap(content, { colorSpaceConversion: "none" });
    return { id, levels: levelsOf(picture) };
  }
  const { width, height, channels, data } = decode(bytes);
  const deep = { width, height, channels, values: Uint16Array.from(data) };
  const drawn = window ?? wholeWindow(deep);
  const picture = await createImageBitmap(new ImageData(windowed(deep, drawn), width));
  return { id, levels: levelsOf(picture), deep: { ...deep, window: drawn } };
}

/** @param {string} url @returns {Promise<ImageData>} */
async function pixelsOf(url) {
  const picture = await decoded(url, { premultiplyAlpha: "none" });
  const context = contextOf(picture.width, picture.height);
  context.drawImage(picture, 0, 0);
  picture.close();
  return context.getImageData(0, 0, context.canvas.width, context.canvas.height);
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
    const { pixels, statistics } = differenceOf(first.data, second.data);
    return { id, levels: levelsOf(await createImageBitmap(new ImageData(pixels, first.width))), statistics };
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
