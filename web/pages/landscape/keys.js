// Keyboard shortcuts of the landscape page.

import { fullScreen } from "./pane_frame.js";
import { choose, scale, VIEWS, view } from "./settings.js";
import { playOrPause, step } from "./timeline.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

const pane = () =>
  document.querySelector("landscape-pane:hover, landscape-pane:focus-within") ??
  document.querySelector("landscape-pane");

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  p: playOrPause,
  "[": () => step(-1),
  "]": () => step(1),
  v: () => choose("land.view", "filled")(VIEWS[(VIEWS.indexOf(view.peek()) + 1) % VIEWS.length]),
  y: () => choose("land.z", "linear")(scale.peek() === "log" ? "linear" : "log"),
  f: () => {
    const shown = pane();
    if (shown) fullScreen(shown);
  },
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["p"], () => t("land.keys_play")],
  [["[", "]"], () => t("land.keys_step")],
  [["v"], () => t("land.keys_view")],
  [["y"], () => t("land.keys_log")],
  [["f"], () => t("land.keys_full")],
  [["←", "→", "↑", "↓"], () => t("land.keys_arrows")],
];
