// Decoded pictures and their differences, computed in a worker that is started on first use.

/** @typedef {import("./image_worker.js").DecodeResult} DecodeResult */

/** @type {Worker | null} */
let worker = null;
/** @type {Map<number, (result: DecodeResult) => void>} */
const pending = new Map();
let lastId = 0;

function start() {
  const started = new Worker(new URL("./image_worker.js", import.meta.url), { type: "module" });
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

/** @param {string} one @param {string | null} other URLs; other = null: only decode `one`
 * @returns {Promise<DecodeResult>} */
function request(one, other) {
  worker ??= start();
  const id = ++lastId;
  const result = new Promise((/** @type {(result: DecodeResult) => void} */ resolve) => pending.set(id, resolve));
  const absolute = (/** @type {string} */ url) => new URL(url, document.baseURI).href;
  worker.postMessage({ id, one: absolute(one), other: other && absolute(other) });
  return result;
}

/** @param {string} url */
export const decoded = (url) => request(url, null);

/** @param {string} one @param {string} other */
export const differenceBetween = (one, other) => request(one, other);

/** Releases the memory of a picture.
 * @param {DecodeResult | null} result */
export function release(result) {
  for (const level of result?.levels ?? []) level.close();
}
