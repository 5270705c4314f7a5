// Keyboard shortcuts of the images page.

import { stepper } from "../../controls/step_keys.js";
import { opened } from "../../data/view/view.js";
import { zoomPanes } from "./image_pane.js";
import { FITTING } from "./model/camera.js";
import { closePanes, openPanes } from "./panes.js";
import { gain, imageStep, setCamera, setGain } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

/** The card under the cursor, or with the focus. */
const pointedCard = () =>
  /** @type {import("./image_card.js").ImageCard | null} */ (
    document.querySelector("image-card:hover") ?? document.querySelector("image-card:focus-within")
  );

function toggleViewer() {
  const viewer = document.querySelector("image-viewer");
  const card = pointedCard();
  if (viewer && opened.peek() !== null) closePanes();
  else if (card) openPanes(card.tag, []);
}

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "[": stepper("image-viewer", "image-card", imageStep, -1),
  "]": stepper("image-viewer", "image-card", imageStep, 1),
  f: toggleViewer,
  p: () => pointedCard()?.togglePlay(),
  d: () => setGain(gain.peek() ? "" : "auto"),
  "+": () => zoomPanes(1.5),
  "-": () => zoomPanes(1 / 1.5),
  0: () => setCamera(FITTING),
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["[", "]"], () => t("image.keys_step")],
  [["f"], () => t("image.keys_enlarge")],
  [["p"], () => t("image.keys_play")],
  [["d"], () => t("image.keys_difference")],
  [["+", "-", "0"], () => t("image.keys_zoom")],
  [["wheel", "drag"], () => t("image.keys_mouse")],
];
