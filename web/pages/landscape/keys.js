// The keys of the landscape page.

import { fullScreen } from "./pane_frame.js";
import { choose, scale, view, VIEWS } from "./settings.js";
import { playOrPause, step } from "./timeline.js";

/** @typedef {import("../../app/pages.js").KeyRow} KeyRow */

const pane = () => document.querySelector("landscape-pane:hover, landscape-pane:focus-within") ?? document.querySelector("landscape-pane");

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
export const KEYS = [[["p"], "land.keys_play"], [["[", "]"], "land.keys_step"], [["v"], "land.keys_view"], [["y"], "land.keys_log"], [["f"], "land.keys_full"], [["←", "→", "↑", "↓"], "land.keys_arrows"]];
