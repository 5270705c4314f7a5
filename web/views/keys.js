// The keyboard: which key does what, and the list of them.

import { html } from "lit-html";
import { EVERYTHING, NOTHING, only, toggled } from "../lib/selection.js";
import { cursorRun, panel, pointedRun } from "../state/pointer.js";
import { change, narrow, opened, railShown, selection, toggleRail } from "../state/view.js";
import { t } from "../state/words.js";
import { focusOn } from "./focus.js";
import { shownPage } from "./pages.js";
import { moveCursor } from "./rail.js";

/** @typedef {import("./pages.js").KeyRow} KeyRow */

/** @param {(run: string) => void} act */
const withRun = (act) => () => {
  const run = cursorRun.peek();
  if (run !== null) act(run);
};

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
  j: () => moveCursor(1),
  k: () => moveCursor(-1),
  " ": withRun((run) => change({ selection: toggled(selection.peek(), run) })),
  o: withRun((run) => change({ selection: only(run) })),
  i: withRun((run) => (panel.value = { kind: "run", run })),
  a: () => change({ selection: EVERYTHING }),
  n: () => change({ selection: NOTHING }),
  b: toggleRail,
  "?": () => (panel.value = panel.peek()?.kind === "keys" ? null : { kind: "keys" }),
};

/** @type {KeyRow[]} */
const KEYS = [
  [["/"], "keys.filter"], [["r"], "keys.filter_runs"], [["j", "k"], "keys.next"], [["space"], "keys.toggle"],
  [["o"], "keys.only"], [["a"], "keys.all"], [["n"], "keys.none"], [["i"], "keys.details"], [["b"], "keys.rail"],
  [["?"], "keys.help"], [["Esc"], "keys.close"],
];

/** Behind "g" the first letter of a page leads to it. @type {Record<string, import("../lib/view.js").PageName>} */
const PAGE_LETTERS = { o: "overview", s: "scalars", h: "histograms", i: "images", t: "tensors", x: "text", c: "compare" };

export const keyList = () => html`<dl class="keys">
  ${[...KEYS, ...(shownPage.value?.KEYS ?? [])].map(([keys, text]) => html`<dt>${keys.map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${t(text)}</dd>`)}
  ${Object.entries(PAGE_LETTERS).map(([letter, name]) => html`<dt><kbd>g</kbd><kbd>${letter}</kbd></dt><dd>${t(`page.${name}`)}</dd>`)}
</dl>`;

/** @param {EventTarget | null} target does this element take text or keys itself? */
const takesKeys = (target) => target instanceof HTMLElement && target.matches("input, select, textarea");

/** @param {KeyboardEvent} event */
function pressed(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === "Escape") return takesKeys(target) ? /** @type {HTMLElement} */ (target).blur() : close();
  if (takesKeys(target) || (key === " " && target instanceof HTMLButtonElement)) return;
  const action = actionOf(key);
  if (!action) return;
  event.preventDefault();
  action();
}

/** @param {string} key @returns {(() => void) | undefined} */
function actionOf(key) {
  if (goes) {
    goes = false;
    return Object.hasOwn(PAGE_LETTERS, key) ? () => change({ page: PAGE_LETTERS[key] }) : undefined;
  }
  if (key === "g") return () => void (goes = true);
  return shownPage.peek()?.ACTIONS?.[key] ?? (Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined);
}

/** "g" was pressed: the next key names a page. */
let goes = false;

export const followKeys = () => document.addEventListener("keydown", pressed);
