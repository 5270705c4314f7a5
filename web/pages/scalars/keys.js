// Keys of the scalars page.

import { axis, change, logarithmic, opened } from "../../data/view.js";
import { focusOn } from "../../controls/focus_field.js";

/** @typedef {import("../../app/pages.js").KeyRow} KeyRow */

const AXES = /** @type {const} */ (["step", "relative", "wall_time"]);

function nextAxis() {
  change({ axis: AXES[(AXES.indexOf(axis.peek()) + 1) % AXES.length], zooms: {} });
}

function toggleEnlarged() {
  if (opened.peek()) return change({ open: "" });
  const card = document.querySelector("scalar-card:hover") ?? document.querySelector("scalar-card:focus-within");
  const tag = card instanceof HTMLElement ? (card.dataset.tag ?? "") : "";
  if (tag) change({ open: tag });
}

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  s: focusOn("smooth"),
  x: nextAxis,
  y: () => change({ log: !logarithmic.peek() }),
  f: toggleEnlarged,
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["s"], "keys.smooth"], [["x"], "keys.axis"], [["y"], "keys.log"], [["f"], "keys.enlarge"],
  [["drag"], "keys.zoom"], [["double-click"], "keys.reset"],
];
