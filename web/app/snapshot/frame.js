// Makes the file of a snapshot: a frame draws the chosen pages and records what they receive.

import { t } from "../words.js";

/** @typedef {import("../../data/snapshot/state.js").RecordingOrder} RecordingOrder */

/** The frame is as wide as this page, so that it draws the same points; a tall one needs fewer steps of scrolling. */
const HEIGHT = 3000;
/** The element of the empty snapshot that takes the data. */
const DATA = 'id="snapshot-data">';

/** @param {Pick<RecordingOrder, "runs" | "pages" | "allPoints">} order
 * @param {HTMLElement} place shows the frame as a preview: browsers draw only what is visible
 * @param {(done: number, bytes: number) => void} progress @param {AbortSignal} signal @returns {Promise<Blob>} */
export async function snapshotOf(order, place, progress, signal) {
  const frame = Object.assign(document.createElement("iframe"), { title: t("snapshot.preview"), tabIndex: -1 });
  frame.inert = true;
  const width = Math.max(1000, innerWidth);
  const scale = place.clientWidth / width;
  Object.assign(frame.style, { width: `${width}px`, height: `${HEIGHT}px`, transform: `scale(${scale})` });
  try {
    const data = await new Promise((/** @type {(data: string) => void} */ finished, failed) => {
      signal.addEventListener("abort", () => failed(new Error("aborted")));
      Object.assign(frame, { recordingOrder: { ...order, progress, finished, failed } });
      frame.src = `${location.pathname}${location.search}${location.hash}`;
      place.append(frame);
    });
    return await documentOf(data);
  } finally {
    frame.remove();
  }
}

/** @param {string} data packed @returns {Promise<Blob>} */
async function documentOf(data) {
  const response = await fetch("./built/snapshot.html");
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  const empty = await response.text();
  const at = empty.indexOf(DATA) + DATA.length;
  return new Blob([empty.slice(0, at), data, empty.slice(at)], { type: "text/html" });
}
