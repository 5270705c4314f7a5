// A worker that fetches and decodes a picture, or two and their difference, off the page's thread.

import { differenceOf } from "../model/difference.js";

/** other: null for the picture `one` itself. @typedef {{id: number, one: string, other: string | null}} Question */
/** levels: the picture, and it again and again half as large, for drawing it small. sizes: when they are not the
 * same there is no difference.
 * failed: a picture cannot be had or drawn.
 * @typedef {{id: number, levels?: ImageBitmap[], statistics?: import("../model/difference.js").Statistics,
 * sizes?: [import("../model/camera.js").Size, import("../model/camera.js").Size], failed?: string}} Answer */

/** The smallest level is no larger than this: there is nothing to save by smaller ones. */
const SMALLEST = 512;

/** @param {string} url @param {ImageBitmapOptions} options
 * @returns {Promise<ImageBitmap>} its colours as they were recorded, whatever the screen's */
async function decoded(url, options) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return createImageBitmap(await response.blob(), { ...options, colorSpaceConversion: "none" });
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

/** @param {Question} question @returns {Promise<Answer>} */
async function answer({ id, one, other }) {
  try {
    if (!other) return { id, levels: levelsOf(await decoded(one, {})) };
    const [first, second] = await Promise.all([pixelsOf(one), pixelsOf(other)]);
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

self.onmessage = async (/** @type {MessageEvent<Question>} */ { data }) => {
  const found = await answer(data);
  self.postMessage(found, { transfer: found.levels ?? [] });
};
