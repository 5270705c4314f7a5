// A worker that fetches and decodes two pictures and makes their difference, off the page's thread.

import { differenceOf } from "../lib/image_difference.js";

/** @typedef {{id: number, one: string, other: string}} Question */
/** sizes: when they are not the same there is no difference. failed: one of the pictures cannot be had or drawn.
 * @typedef {{id: number, picture?: ImageBitmap, statistics?: import("../lib/image_difference.js").Statistics,
 *   sizes?: [import("../lib/image_camera.js").Size, import("../lib/image_camera.js").Size], failed?: string}} Answer */

/** @param {string} url @returns {Promise<ImageData>} its pixels as they were recorded, whatever the screen's colours */
async function pixelsOf(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  const picture = await createImageBitmap(await response.blob(), { premultiplyAlpha: "none", colorSpaceConversion: "none" });
  const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("no canvas");
  context.drawImage(picture, 0, 0);
  return context.getImageData(0, 0, picture.width, picture.height);
}

/** @param {Question} question @returns {Promise<Answer>} */
async function answer({ id, one, other }) {
  try {
    const [first, second] = await Promise.all([pixelsOf(one), pixelsOf(other)]);
    if (first.width !== second.width || first.height !== second.height) {
      return { id, sizes: [{ width: first.width, height: first.height }, { width: second.width, height: second.height }] };
    }
    const { pixels, statistics } = differenceOf(first.data, second.data);
    return { id, picture: await createImageBitmap(new ImageData(pixels, first.width)), statistics };
  } catch (error) {
    return { id, failed: String(error instanceof Error ? error.message : error) };
  }
}

self.onmessage = async (/** @type {MessageEvent<Question>} */ { data }) => {
  const found = await answer(data);
  self.postMessage(found, { transfer: found.picture ? [found.picture] : [] });
};
