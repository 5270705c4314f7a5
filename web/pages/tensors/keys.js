// Keyboard shortcuts of the tensors page.

import { focusOn } from "../../controls/focus_field.js";
import { set } from "../../data/view/view.js";
import { showStep, stepIndex } from "./displayed_slice.js";
import { cells, close, colours, tag, VIEWS, view } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

function nextView() {
  const next = VIEWS[(VIEWS.indexOf(view.peek()) + 1) % VIEWS.length];
  set({ "tensor.view": next === "table" ? "" : next });
}

/** @param {() => void} act */
const withTensor = (act) => () => {
  if (tag.peek()) act();
};

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "[": withTensor(() => showStep(stepIndex.peek() - 1)),
  "]": withTensor(() => showStep(stepIndex.peek() + 1)),
  v: withTensor(nextView),
  l: withTensor(focusOn("tensor-slice")),
  c: withTensor(() => set({ "tensor.colours": colours.peek() === "on" ? "off" : "" })),
  m: withTensor(() => set({ "tensor.cells": cells.peek() === "map" ? "" : "map" })),
  t: withTensor(() => /** @type {HTMLElement | null} */ (document.querySelector(".tensor-scroll"))?.focus()),
  Backspace: withTensor(close),
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["[", "]"], () => t("tensor.key_step")],
  [["v"], () => t("tensor.key_view")],
  [["l"], () => t("tensor.key_slice")],
  [["t"], () => t("tensor.key_table")],
  [["c"], () => t("tensor.key_colours")],
  [["m"], () => t("tensor.key_map")],
  [["Backspace"], () => t("tensor.back")],
];
