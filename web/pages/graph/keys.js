// Keyboard shortcuts of the graph page.

import { focusOn } from "../../controls/focus_field.js";
import { selectNeighbour, toggleTrace } from "./actions.js";
import { toggleFullScreen } from "./full_screen.js";
import { collapseAll } from "./settings.js";
import { fit, zoom } from "./viewport.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

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
  c: collapseAll,
  ArrowDown: () => void selectNeighbour("ArrowDown"),
  ArrowUp: () => void selectNeighbour("ArrowUp"),
  ArrowLeft: () => void selectNeighbour("ArrowLeft"),
  ArrowRight: () => void selectNeighbour("ArrowRight"),
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["/"], () => t("graph.keys_find")],
  [["↑", "↓", "←", "→"], () => t("graph.keys_move")],
  [["Enter"], () => t("graph.keys_expand")],
  [["u", "d"], () => t("graph.keys_trace")],
  [["+", "-", "0"], () => t("graph.keys_zoom")],
  [["wheel", "drag"], () => t("graph.keys_mouse")],
  [["f"], () => t("graph.keys_full_screen")],
  [["c"], () => t("graph.keys_collapse")],
];
