// The panes of the viewer: the runs and steps side by side, kept in the URL.

import { batch, computed } from "@preact/signals-core";
import { ThrottledSetting } from "../../controls/throttled_setting.js";
import { change, opened, set, setting } from "../../data/view/view.js";
import { FITTING } from "./model/camera.js";
import { drawnWindow, setCamera } from "./settings.js";

/** step: null = follows the page. index: of the picture among those of the step.
 * @typedef {{run: string, step: number | null, index: number}} Pane */

export const MAX_PANES = 12;

const parameter = new ThrottledSetting("image.panes");

/** The panes in the URL; empty = one for each run with the tag.
 * @type {import("@preact/signals-core").ReadonlySignal<Pane[]>} */
const chosen = computed(() => parsePanes(parameter.text.value));

/** @param {string} text @returns {Pane[]} */
function parsePanes(text) {
  try {
    const parsed = JSON.parse(text || "[]");
    return Array.isArray(parsed) ? parsed.flatMap(parsePane).slice(0, MAX_PANES) : [];
  } catch {
    return [];
  }
}

/** @param {unknown} parsed @returns {Pane[]} */
function parsePane(parsed) {
  if (!Array.isArray(parsed) || typeof parsed[0] !== "string") return [];
  const [run, step, index] = parsed;
  return [{ run, step: Number.isFinite(step) ? step : null, index: Number.isInteger(index) && index > 0 ? index : 0 }];
}

/** @param {Pane[]} panes */
const printPanes = (panes) =>
  panes.length
    ? JSON.stringify(
        panes.map(({ run, step, index }) => (index ? [run, step, index] : step === null ? [run] : [run, step])),
      )
    : "";

/** The panes of a tag that these runs have.
 * @param {readonly string[]} runs in start order @returns {Pane[]} */
export function panesOf(runs) {
  const panes = chosen.value.filter(({ run }) => runs.includes(run));
  return panes.length ? panes : runs.slice(0, MAX_PANES).map((run) => ({ run, step: null, index: 0 }));
}

/** @param {Pane[]} panes */
export const setPanes = (panes) => parameter.set(printPanes(panes.slice(0, MAX_PANES)));

const active = setting("image.pane", "");
/** The index of the active pane, whose series the film strip shows.
 * @param {number} count of panes */
export const activePane = (count) => Math.max(0, Math.min(count - 1, Number(active.value) || 0));
export const activate = (/** @type {number} */ place) => set({ "image.pane": place ? String(place) : "" });

/** Opens the viewer of a tag, also from another page; without panes, with all runs.
 * @param {string} tag @param {Pane[]} panes */
export function openPanes(tag, panes) {
  batch(() => {
    change({ page: "images", open: tag });
    parameter.setNow(printPanes(panes));
    setCamera(FITTING);
    activate(0);
  });
  document.getElementById("page")?.scrollTo({ top: 0 });
}

/** Closes the viewer. */
export function closePanes() {
  batch(() => {
    if (opened.peek() !== null) change({ open: null });
    drawnWindow.value = null;
    parameter.setNow("");
    setCamera(FITTING);
    activate(0);
  });
}
