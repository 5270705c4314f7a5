// Keys of the histograms page.

import { change, opened, set } from "../../data/view.js";
import { AXES, axis, mode, MODES, pageStep, scale } from "./settings.js";

/** @typedef {import("../../app/pages.js").KeyRow} KeyRow */

/** @template Value
 * @param {readonly Value[]} values @param {Value} value */
const after = (values, value) => values[(values.indexOf(value) + 1) % values.length];

function toggleEnlarged() {
  const card = document.querySelector("histogram-card:hover") ?? document.querySelector("histogram-card:focus-within");
  const tag = card instanceof HTMLElement ? (card.dataset.tag ?? "") : "";
  change({ open: opened.peek() === tag ? "" : tag });
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
  [["[", "]"], "hist.keys_step"], [["m"], "hist.keys_mode"], [["x"], "hist.keys_axis"], [["y"], "hist.keys_log"],
  [["f"], "hist.keys_enlarge"], [["click", "Enter"], "hist.keys_mark"], [["←↑↓→"], "hist.keys_move"],
];
