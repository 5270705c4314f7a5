// Pictures as canvases draw them, and their differences: a worker makes these, begun with the first question.

/** @typedef {import("./image_difference_worker.js").Answer} Answer */

/** @type {Worker | null} */
let worker = null;
/** @type {Map<number, (answer: Answer) => void>} */
const waiting = new Map();
let asked = 0;

function begin() {
  const begun = new Worker(new URL("./image_difference_worker.js", import.meta.url), { type: "module" });
  begun.onmessage = (/** @type {MessageEvent<Answer>} */ { data }) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  };
  return begun;
}

/** @param {string} one @param {string} other addresses of pictures @returns {Promise<Answer>} */
export function differenceBetween(one, other) {
  worker ??= begin();
  const id = ++asked;
  const answer = new Promise((/** @type {(answer: Answer) => void} */ resolve) => waiting.set(id, resolve));
  const [first, second] = [one, other].map((url) => new URL(url, document.baseURI).href);
  worker.postMessage({ id, one: first, other: second });
  return answer;
}

/** Fetches and decodes a picture off the page's thread, its colours as they were recorded.
 * @param {string} url @returns {Promise<Answer>} */
export async function decoded(url) {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    return { id: 0, picture: await createImageBitmap(await response.blob(), { colorSpaceConversion: "none" }) };
  } catch (error) {
    return { id: 0, failed: String(error) };
  }
}
