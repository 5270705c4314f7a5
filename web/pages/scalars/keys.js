// Keys of the scalars page.

import { focusOn } from "../../controls/focus_field.js";
import { readsTimes } from "../../data/series/scalar_view.js";
import { choosePageX, pageX } from "../../data/series/x_axis.js";
import { change, logarithmic, opened, set } from "../../data/view/view.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

/** The choices that a key steps through. */
const AXES = ["", "relative_step", "relative", "active", "wall_time"];

const nextAxis = () => choosePageX(AXES[(AXES.indexOf(pageX.peek()) + 1) % AXES.length]);

function toggleEnlarged() {
  if (opened.peek() !== null) return change({ open: null });
  const card = document.querySelector("scalar-card:hover") ?? document.querySelector("scalar-card:focus-within");
  const tag = card instanceof HTMLElement ? (card.dataset.tag ?? null) : null;
  if (tag !== null) change({ open: tag });
}

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  s: focusOn("smooth"),
  x: nextAxis,
  y: () => change({ log: !logarithmic.peek() }),
  t: () => set({ "scalar.times": readsTimes.peek() ? "" : "on" }),
  f: toggleEnlarged,
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["s"], () => t("keys.smooth")],
  [["x"], () => t("keys.axis")],
  [["y"], () => t("keys.log")],
  [["t"], () => t("keys.times")],
  [["f"], () => t("keys.enlarge")],
  [["drag"], () => t("keys.zoom")],
  [["Shift", "drag"], () => t("keys.pan")],
  [["Ctrl", "wheel"], () => t("keys.wheel")],
  [["double-click"], () => t("keys.reset")],
];
