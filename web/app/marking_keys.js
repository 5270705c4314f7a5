// The keys that mark runs in the list at hand, and those that act on the marked ones.

import { baseline, setBaseline } from "../data/runs/baseline.js";
import { markAll, markedRuns, markRange, toggleMark } from "../data/runs/marked_runs.js";
import { notice } from "../data/runs/run_actions.js";
import { cursorRun } from "../data/view/pointer.js";
import { focusActions, openActions } from "./action_bar/action_bar.js";
import { t } from "./action_bar/words.js";
import { shownPage } from "./pages.js";
import { moveCursor, railRuns } from "./rail.js";

/** The runs of the list at hand: the page's own, else the run list. */
const listed = () => shownPage.peek()?.listedRuns?.() ?? railRuns.peek();

/** Moves in the list at hand. @param {number} by */
function move(by) {
  const { ACTIONS } = shownPage.peek() ?? {};
  const own = by > 0 ? ACTIONS?.j : ACTIONS?.k;
  if (shownPage.peek()?.listedRuns && own) own();
  else moveCursor(by);
}

/** Marks the run at the cursor, and the next one. @param {number} by */
const extend = (by) => () => {
  const before = cursorRun.peek();
  if (before !== null && !markedRuns.peek().includes(before)) toggleMark(before);
  move(by);
  const run = cursorRun.peek();
  if (run !== null) markRange(listed(), run);
};

function markCursor() {
  const run = cursorRun.peek();
  if (run !== null) toggleMark(run);
}

/** Marks all runs of the list, or none if all are marked. */
function markListed() {
  const names = listed();
  const marked = new Set(markedRuns.peek());
  markAll(names, !names.every((run) => marked.has(run)));
}

/** Makes the run at the cursor the baseline, or ends that. */
function toggleBaseline() {
  const run = cursorRun.peek();
  if (run !== null) setBaseline(baseline.peek() === run ? "" : run);
}

/** @type {Record<string, () => void>} */
export const MARKING_ACTIONS = {
  x: markCursor,
  X: markCursor,
  J: extend(1),
  K: extend(-1),
  "Shift+ArrowDown": extend(1),
  "Shift+ArrowUp": extend(-1),
  A: markListed,
  M: focusActions,
  L: () => openActions("labels"),
  B: toggleBaseline,
  Z: () => notice.peek()?.undo?.(),
};

/** @type {import("../controls/page.js").KeyRow[]} */
export const MARKING_KEYS = [
  [["x", "X"], () => t("actions.key_mark")],
  [["⇧↓", "⇧↑"], () => t("actions.key_range")],
  [["A"], () => t("actions.key_all")],
  [["M"], () => t("actions.key_bar")],
  [["L"], () => t("actions.key_label")],
  [["B"], () => t("actions.key_baseline")],
  [["Z"], () => t("actions.key_undo")],
];
