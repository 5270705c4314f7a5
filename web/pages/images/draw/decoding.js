// Pictures as canvases draw them, and their differences: a worker makes both, begun with the first question.

/** @typedef {import("./image_worker.js").Answer} Answer */

/** @type {Worker | null} */
let worker = null;
/** @type {Map<number, (answer: Answer) => void>} */
const waiting = new Map();
let asked = 0;

function begin() {
  const begun = new Worker(new URL("./image_worker.js", import.meta.url), { type: "module" });
  begun.onmessage = (/** @type {MessageEvent<Answer>} */ { data }) => reply(data);
  begun.onerror = () => {
    worker = null;
    for (const id of waiting.keys()) reply({ id, failed: "no worker" });
  };
  return begun;
}

/** @param {Answer} answer */
function reply(answer) {
  waiting.get(answer.id)?.(answer);
  waiting.delete(answer.id);
}

/** @param {string} one @param {string | null} other addresses of pictures; without the other it is `one` itself
 * @returns {Promise<Answer>} */
function ask(one, other) {
  worker ??= begin();
  const id = ++asked;
  const answer = new Promise((/** @type {(answer: Answer) => void} */ resolve) => waiting.set(id, resolve));
  const whole = (/** @type {string} */ url) => new URL(url, document.baseURI).href;
  worker.postMessage({ id, one: whole(one), other: other && whole(other) });
  return answer;
}

/** @param {string} url */
export const decoded = (url) => ask(url, null);

/** @param {string} one @param {string} other */
export const differenceBetween = (one, other) => ask(one, other);

/** Lets go of the memory of a picture that is drawn no longer.
 * @param {Answer | null} answer */
export function release(answer) {
  for (const level of answer?.levels ?? []) level.close();
}
