// In the frame: opens each page of the order and scrolls through it, so that it asks for everything it can show.

import { effect } from "@preact/signals-core";
import { runsReply } from "../../data/runs/catalogue.js";
import { EVERYTHING } from "../../data/runs/selection.js";
import { MAX_BYTES, Recorder } from "../../data/snapshot/recorder.js";
import { changed, printView } from "../../data/view/address.js";
import { change, view } from "../../data/view/view.js";
import { t } from "../words.js";

/** @typedef {import("../../data/snapshot/state.js").RecordingOrder} RecordingOrder */

/** Frames without a request after which a page has all it asks for, and the least milliseconds between two of them. Time alone
 * says nothing: on a busy machine a card asks long after it became visible. */
const [QUIET_FRAMES, FRAME] = [5, 50];

/** @param {RecordingOrder} order
 * @param {{start: () => void, isShown: () => boolean}} drawn starts drawing the page; whether its module is loaded */
export async function record(order, { start, isShown }) {
  const recorder = new Recorder(order.runs, order.allPoints);
  // The other runs are not in the list of this page: naming them would reveal them.
  change({ selection: EVERYTHING, theme: "", lang: view.peek().lang });
  start();
  try {
    await until(() => runsReply.value !== null);
    const first = view.peek();
    for (const [at, page] of order.pages.entries()) {
      change({ ...first, ...(page !== first.page && { open: null }), page });
      await until(isShown);
      await drawAll(recorder, (part) => order.progress((at + part) / order.pages.length, recorder.bytes));
    }
    const address = printView(
      changed(first, { page: order.pages.includes(first.page) ? first.page : order.pages[0], lang: "" }),
    );
    const logdir = runsReply.peek()?.logdir ?? "";
    order.finished(await recorder.pack({ made: Date.now() / 1000, logdir, pages: order.pages, address }));
  } catch (error) {
    order.failed(/** @type {Error} */ (error));
  }
}

/** Resolves once a condition holds. @param {() => boolean} condition read inside an effect @returns {Promise<void>} */
const until = (condition) =>
  new Promise((resolve) => {
    const end = effect(() => {
      if (!condition()) return;
      resolve();
      queueMicrotask(() => end()); // Its name is bound only after the first run.
    });
  });

/** Scrolls through the page and through what scrolls in it.
 * @param {Recorder} recorder @param {(part: number) => void} progress */
async function drawAll(recorder, progress) {
  await quiet(recorder);
  const boxes = [...document.querySelectorAll("#page, #page *")].filter(scrolls);
  for (const [at, box] of boxes.entries()) {
    for (let top = 0; box.isConnected; top += box.clientHeight) {
      box.scrollTop = top;
      await quiet(recorder);
      for (const picture of document.querySelectorAll("#page :is(img, audio)[src], #page [data-picture]"))
        keepPicture(recorder, picture);
      const height = box.scrollHeight - box.clientHeight;
      progress((at + Math.min(1, height ? top / height : 1)) / boxes.length);
      if (top >= height) break;
    }
    box.scrollTop = 0;
  }
  await quiet(recorder);
}

/** @param {Recorder} recorder @param {Element} picture */
function keepPicture(recorder, picture) {
  const url = picture.getAttribute("src") ?? picture.getAttribute("data-picture") ?? "";
  if (url && !/^(data|blob):/.test(url)) void recorder.keepFile(url, url);
}

/** @param {Element} box */
const scrolls = (box) =>
  box.id === "page" ||
  (box.clientHeight > 0 &&
    box.scrollHeight > box.clientHeight + 1 &&
    /auto|scroll/.test(getComputedStyle(box).overflowY));

/** Waits until the page is drawn and asks for nothing more. @param {Recorder} recorder */
async function quiet(recorder) {
  for (let frames = 0; frames < QUIET_FRAMES; frames++) {
    const { requests } = recorder;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => setTimeout(resolve, FRAME));
    if (recorder.bytes > MAX_BYTES) throw new Error(t("snapshot.too_large", { most: MAX_BYTES / 1e6 }));
    if (recorder.isWaiting || recorder.requests !== requests) frames = -1;
  }
}
