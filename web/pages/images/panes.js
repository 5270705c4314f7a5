// The panes of the large view: which runs and steps stand side by side. Kept in the address.

import { batch, computed } from "@preact/signals-core";
import { ThrottledSetting } from "../../controls/throttled_setting.js";
import { change, opened, set, setting } from "../../data/view.js";
import { setCamera } from "./image_settings.js";
import { FITTING } from "./model/camera.js";

/** step: null follows the page. index: which picture of its value.
 * @typedef {{run: string, step: number | null, index: number}} Pane */

export const MOST_PANES = 12;

const written = new ThrottledSetting("image.panes");

/** What the address says; empty: every run that has the tag.
 * @type {import("@preact/signals-core").ReadonlySignal<Pane[]>} */
const chosen = computed(() => parsePanes(written.text.value));

/** @param {string} text @returns {Pane[]} */
function parsePanes(text) {
  try {
    const found = JSON.parse(text || "[]");
    return Array.isArray(found) ? found.flatMap(parsePane).slice(0, MOST_PANES) : [];
  } catch {
    return [];
  }
}

/** @param {unknown} found @returns {Pane[]} */
function parsePane(found) {
  if (!Array.isArray(found) || typeof found[0] !== "string") return [];
  const [run, step, index] = found;
  return [{ run, step: Number.isFinite(step) ? step : null, index: Number.isInteger(index) && index > 0 ? index : 0 }];
}

/** @param {Pane[]} panes */
const printPanes = (panes) =>
  panes.length
    ? JSON.stringify(
        panes.map(({ run, step, index }) => (index ? [run, step, index] : step === null ? [run] : [run, step])),
      )
    : "";

/** The panes of a tag whose series these runs have.
 * @param {readonly string[]} runs in start order @returns {Pane[]} */
export function panesOf(runs) {
  const panes = chosen.value.filter(({ run }) => runs.includes(run));
  return panes.length ? panes : runs.slice(0, MOST_PANES).map((run) => ({ run, step: null, index: 0 }));
}

/** @param {Pane[]} panes */
export const setPanes = (panes) => written.set(printPanes(panes.slice(0, MOST_PANES)));

const active = setting("image.pane", "");
/** The pane that the film strip belongs to.
 * @param {number} count of panes */
export const activePane = (count) => Math.max(0, Math.min(count - 1, Number(active.value) || 0));
export const activate = (/** @type {number} */ place) => set({ "image.pane": place ? String(place) : "" });

/** Opens the large view of a tag, also from another page; without panes, of every run.
 * @param {string} tag @param {Pane[]} panes */
export function openPanes(tag, panes) {
  batch(() => {
    change({ page: "images", open: tag });
    written.setNow(printPanes(panes));
    setCamera(FITTING);
    activate(0);
  });
  document.getElementById("page")?.scrollTo({ top: 0 });
}

/** Closes it. */
export function closePanes() {
  batch(() => {
    if (opened.peek()) change({ open: "" });
    written.setNow("");
    setCamera(FITTING);
    activate(0);
  });
}
