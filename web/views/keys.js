// The keyboard: which key does what, and the list of them.

import { html } from "lit-html";
import { EVERYTHING, NOTHING, only, toggled } from "../lib/selection.js";
import { cursorRun, panel, pointedRun } from "../state/pointer.js";
import { axis, change, logarithmic, narrow, opened, railShown, selection, toggleRail } from "../state/view.js";
import { t } from "../state/words.js";
import { moveCursor } from "./rail.js";

/** @typedef {import("../state/words.js").TextKey} TextKey */

/** @param {string} id */
const focusOn = (id) => () => {
  const field = /** @type {HTMLInputElement | null} */ (document.getElementById(id));
  field?.focus();
  field?.select?.();
};

/** @param {(run: string) => void} act */
const withRun = (act) => () => {
  const run = cursorRun.peek();
  if (run !== null) act(run);
};

const AXES = /** @type {const} */ (["step", "relative", "wall_time"]);

function nextAxis() {
  change({ axis: AXES[(AXES.indexOf(axis.peek()) + 1) % AXES.length], zooms: {} });
}

function toggleEnlarged() {
  const card = document.querySelector("scalar-card:hover") ?? document.querySelector("scalar-card:focus-within");
  const tag = card instanceof HTMLElement ? (card.dataset.tag ?? "") : "";
  change({ open: opened.peek() === tag ? "" : tag });
}

function close() {
  if (panel.peek()) panel.value = null;
  else if (narrow.peek() && railShown.peek()) toggleRail();
  else if (opened.peek()) change({ open: "" });
  else cursorRun.value = pointedRun.value = null;
}

/** @type {Record<string, () => void>} */
const ACTIONS = {
  "/": focusOn("tag-filter"),
  r: focusOn("run-filter"),
  s: focusOn("smooth"),
  j: () => moveCursor(1),
  k: () => moveCursor(-1),
  " ": withRun((run) => change({ selection: toggled(selection.peek(), run) })),
  o: withRun((run) => change({ selection: only(run) })),
  i: withRun((run) => (panel.value = { kind: "run", run })),
  a: () => change({ selection: EVERYTHING }),
  n: () => change({ selection: NOTHING }),
  x: nextAxis,
  y: () => change({ log: !logarithmic.peek() }),
  f: toggleEnlarged,
  b: toggleRail,
  "?": () => (panel.value = panel.peek()?.kind === "keys" ? null : { kind: "keys" }),
};

/** @type {Array<[keys: string[], text: TextKey]>} */
const LIST = [
  [["/"], "keys.filter"], [["r"], "keys.filter_runs"], [["j", "k"], "keys.next"], [["space"], "keys.toggle"],
  [["o"], "keys.only"], [["a"], "keys.all"], [["n"], "keys.none"], [["i"], "keys.details"], [["s"], "keys.smooth"],
  [["x"], "keys.axis"], [["y"], "keys.log"], [["f"], "keys.enlarge"], [["b"], "keys.rail"], [["?"], "keys.help"], [["Esc"], "keys.close"],
];

export const keyList = () => html`<dl class="keys">
  ${LIST.map(([keys, text]) => html`<dt>${keys.map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${t(text)}</dd>`)}
  <dt>${t("keys.drag")}</dt><dd>${t("keys.zoom")}</dd>
  <dt>${t("keys.double")}</dt><dd>${t("keys.reset")}</dd>
</dl>`;

/** @param {EventTarget | null} target does this element take text or keys itself? */
const takesKeys = (target) => target instanceof HTMLElement && target.matches("input, select, textarea");

/** @param {KeyboardEvent} event */
function pressed(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === "Escape") return takesKeys(target) ? /** @type {HTMLElement} */ (target).blur() : close();
  if (takesKeys(target) || (key === " " && target instanceof HTMLButtonElement)) return;
  const action = ACTIONS[key];
  if (!action) return;
  event.preventDefault();
  action();
}

export const followKeys = () => document.addEventListener("keydown", pressed);
