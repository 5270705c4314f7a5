// Keyboard shortcuts: their actions, and the list of them.

import { html, nothing } from "lit-html";
import { focusOn } from "../controls/focus_field.js";
import { isMarking, marked, unmarkAll } from "../data/runs/marked_runs.js";
import { EVERYTHING, NOTHING, only, toggled } from "../data/runs/selection.js";
import { factsOf, PAGES } from "../data/view/page_list.js";
import { cursorRun, hoveredRun, panel } from "../data/view/pointer.js";
import { change, narrow, opened, page, railShown, selection, toggleRail } from "../data/view/view.js";
import { MARKING_ACTIONS, MARKING_KEYS } from "./marking_keys.js";
import { shownPage } from "./pages.js";
import { moveCursor } from "./rail.js";
import { t } from "./words.js";

/** @typedef {import("../controls/page.js").KeyRow} KeyRow */

/** @param {(run: string) => void} act */
const withRun = (act) => () => {
  const run = cursorRun.peek();
  if (run !== null) act(run);
};

function close() {
  if (panel.peek()) panel.value = null;
  else if (narrow.peek() && railShown.peek()) toggleRail();
  else if (opened.peek() !== null) change({ open: null });
  else if (marked.peek().size || isMarking.peek()) unmarkAll();
  else cursorRun.value = hoveredRun.value = null;
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
  ...MARKING_ACTIONS,
  b: toggleRail,
  "?": () => (panel.value = panel.peek()?.kind === "keys" ? null : { kind: "keys" }),
};

/** @type {KeyRow[]} */
const KEYS = [
  [["/"], () => t("keys.filter")],
  [["r"], () => t("keys.filter_runs")],
  [["j", "k"], () => t("keys.next")],
  [["space"], () => t("keys.toggle")],
  [["o"], () => t("keys.only")],
  [["a"], () => t("keys.all")],
  [["n"], () => t("keys.none")],
  [["i"], () => t("keys.details")],
  ...MARKING_KEYS,
  [["b"], () => t("keys.rail")],
  [["?"], () => t("keys.help")],
  [["Esc"], () => t("keys.close")],
];

/** After "g", a letter opens a page. */
const pageLetters = new Map(PAGES.map((name) => [factsOf(name).letter, name]));

export const keyList = () => html`<div class="keys">
  ${keyGroup(t("keys.everywhere"), KEYS)}
  ${
    shownPage.value?.KEYS?.length
      ? keyGroup(t("keys.this_page", { page: t(`page.${page.value}`) }), shownPage.value.KEYS)
      : nothing
  }
  ${keyGroup(
    t("keys.pages"),
    [...pageLetters].map(([letter, name]) => [["g", letter], () => t(`page.${name}`)]),
  )}</div>`;

/** @param {string} title @param {KeyRow[]} rows */
const keyGroup = (title, rows) =>
  html`<h3>${title}</h3><dl>${rows.map(
    ([keys, text]) => html`<dt>${keys.map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${text()}</dd>`,
  )}</dl>`;

const FIELDS = "input:not([type=checkbox], [type=radio], [type=range], [type=color]), select, textarea";
/** Elements that the space bar presses or arrow keys move. */
const PRESSED = "button, summary, input, [role=button]";

/** Does this element handle the key itself? @param {EventTarget | null} target @param {string} key */
const handles = (target, key) =>
  target instanceof HTMLElement &&
  (target.matches(FIELDS) || (/^( |Arrow.*|Home|End|Page.*)$/.test(key) && target.matches(PRESSED)));

/** @param {KeyboardEvent} event */
function pressed(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === "Escape") return target instanceof HTMLElement && target.matches(FIELDS) ? target.blur() : close();
  if (handles(target, key) || (key === " " && cursorRun.peek() === null)) return;
  const action = actionOf(event);
  if (!action) return;
  event.preventDefault();
  action();
}

/** @param {KeyboardEvent} event @returns {(() => void) | undefined} */
function actionOf({ key: plainKey, shiftKey, timeStamp }) {
  const key = shiftKey && plainKey.startsWith("Arrow") ? `Shift+${plainKey}` : plainKey;
  if (timeStamp < pageKeyUntil) {
    pageKeyUntil = 0;
    const name = pageLetters.get(key);
    return name && (() => change({ page: name }));
  }
  if (key === "g") return () => void (pageKeyUntil = timeStamp + PAGE_KEY_TIMEOUT);
  return shownPage.peek()?.ACTIONS?.[key] ?? (Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined);
}

/** Milliseconds after "g" in which a letter opens a page. */
const PAGE_KEY_TIMEOUT = 1500;
/** "g" was pressed: a key before this time opens a page. */
let pageKeyUntil = 0;

export const followKeys = () => document.addEventListener("keydown", pressed);
