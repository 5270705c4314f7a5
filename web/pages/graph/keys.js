// Keys of the graph page.

import { focusOn } from "../../controls/focus_field.js";
import { closeAll } from "./settings.js";
import { toggleTrace, walk } from "./actions.js";
import { toggleFullScreen } from "./full_screen.js";
import { fit, zoom } from "./viewport.js";

/** @typedef {import("../../app/pages.js").KeyRow} KeyRow */

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "/": focusOn("graph-find"),
  "+": () => zoom(1.5),
  "=": () => zoom(1.5),
  "-": () => zoom(1 / 1.5),
  0: fit,
  f: toggleFullScreen,
  u: () => toggleTrace("in"),
  d: () => toggleTrace("out"),
  c: closeAll,
  ArrowDown: () => void walk("ArrowDown"),
  ArrowUp: () => void walk("ArrowUp"),
  ArrowLeft: () => void walk("ArrowLeft"),
  ArrowRight: () => void walk("ArrowRight"),
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["/"], "graph.keys_find"], [["↑", "↓", "←", "→"], "graph.keys_walk"], [["Enter"], "graph.keys_open"], [["u", "d"], "graph.keys_trace"],
  [["+", "-", "0"], "graph.keys_zoom"], [["wheel", "drag"], "graph.keys_mouse"], [["f"], "graph.keys_full"], [["c"], "graph.keys_close"],
];
