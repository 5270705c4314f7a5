// Keyboard shortcuts of the histograms page.

import { change, opened, set } from "../../data/view/view.js";
import { AXES, axis, MODES, mode, pageStep, scale } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

/** @template Value
 * @param {readonly Value[]} values @param {Value} value */
const after = (values, value) => values[(values.indexOf(value) + 1) % values.length];

function toggleEnlarged() {
  const card = document.querySelector("histogram-card:hover") ?? document.querySelector("histogram-card:focus-within");
  const tag = card instanceof HTMLElement ? (card.dataset.tag ?? null) : null;
  change({ open: opened.peek() === tag ? null : tag });
}

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "[": () => pageStep.move(-1),
  "]": () => pageStep.move(1),
  m: () => set({ "hist.mode": after(MODES, mode.peek()) }),
  x: () => set({ "hist.axis": after(AXES, axis.peek()) }),
  y: () => set({ "hist.scale": scale.peek() === "log" ? "linear" : "log" }),
  f: toggleEnlarged,
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["[", "]"], () => t("hist.keys_step")],
  [["m"], () => t("hist.keys_mode")],
  [["x"], () => t("hist.keys_axis")],
  [["y"], () => t("hist.keys_log")],
  [["f"], () => t("hist.keys_enlarge")],
  [["click", "Enter"], () => t("hist.keys_mark")],
  [["←↑↓→"], () => t("hist.keys_move")],
];
