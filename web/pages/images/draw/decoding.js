// Decoded pictures and their differences, computed in a worker that is started on first use.

import { assetUrl } from "../../../data/client/assets.js";

/** @typedef {import("./image_worker.js").DecodeResult} DecodeResult */

/** @type {Worker | null} */
let worker = null;
/** @type {Map<number, (result: DecodeResult) => void>} */
const pending = new Map();
let lastId = 0;

function start() {
  const started = new Worker(assetUrl("image_worker.js"), { type: "module" });
  started.onmessage = (/** @type {MessageEvent<DecodeResult>} */ { data }) => resolveRequest(data);
  started.onerror = () => {
    worker = null;
    for (const id of pending.keys()) resolveRequest({ id, failed: "no worker" });
  };
  return started;
}

/** @param {DecodeResult} result */
function resolveRequest(result) {
  pending.get(result.id)?.(result);
  pending.delete(result.id);
}

/** @param {string} url @param {string | null} comparedUrl null = only decode the picture
 * @param {import("../model/deep.js").ValueWindow | null} window @returns {Promise<DecodeResult>} */
function request(url, comparedUrl, window) {
  worker ??= start();
  const id = ++lastId;
  const result = new Promise((/** @type {(result: DecodeResult) => void} */ resolve) => pending.set(id, resolve));
  const absolute = (/** @type {string} */ address) => new URL(address, document.baseURI).href;
  worker.postMessage({ id, url: absolute(url), comparedUrl: comparedUrl && absolute(comparedUrl), window });
  return result;
}

/** @param {string} url
 * @param {import("../model/deep.js").ValueWindow | null} window of a picture with 16 bits a channel; null = all values */
export const decoded = (url, window) => request(url, null, window);

/** @param {string} url @param {string} comparedUrl */
export const differenceBetween = (url, comparedUrl) => request(url, comparedUrl, null);

/** Releases the memory of a picture.
 * @param {DecodeResult | null} result */
export function release(result) {
  for (const level of result?.levels ?? []) level.close();
}
