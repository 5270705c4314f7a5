// The overview page: the table of runs, or the page of one of them.

import { html, nothing } from "lit-html";
import { withoutRuns } from "../../controls/empty_state.js";
import { focusOn } from "../../controls/focus_field.js";
import { runs, runsByName } from "../../data/catalogue.js";
import { cursorRun } from "../../data/pointer.js";
import { closeFacts, metrics, sparklineFacts, tableFacts } from "../../data/run_table.js";
import { followMenu } from "./column_menu.js";
import { followNewest, runMetrics } from "./newest.js";
import { runPage } from "./run_page.js";
import { followHeight, followPlace, moveInTable, runsInSight, runTable } from "./run_table.js";
import { filterRow, openRun, showRun } from "./settings.js";
import { compare } from "./toolbar.js";
import { t } from "./words.js";

export { toolbar } from "./toolbar.js";

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

/** The page of a run is there even if every run is hidden: that is where it can be shown again. */
export const content = () =>
  runs.value.length && openRun.value ? runPage(openRun.value) : (withoutRuns() ?? html`${tableError()}${runTable()}`);

const tableError = () =>
  tableFacts.error.value
    ? html`<p class="page-note" role="alert">${t("overview.failed", { reason: tableFacts.error.value.message })}</p>`
    : nothing;

/** Begins to ask for what the page shows; returns what ends it. */
export function follow() {
  const ends = [
    tableFacts.follow(() => ({
      runs: openRun.value ? [] : runs.value.map((row) => row.run),
      query: { metric: metrics.value, sparkline: false, environment: false },
    })),
    sparklineFacts.follow(() => ({
      runs: openRun.value ? [] : runsInSight(),
      query: { metric: metrics.value, sparkline: true, environment: false },
    })),
    closeFacts.follow(() => ({
      runs: runsByName.value.has(openRun.value) ? [openRun.value] : [],
      query: { metric: runMetrics.value, sparkline: true, environment: true },
    })),
    followNewest(),
    followHeight(),
    followPlace(),
    followMenu(),
  ];
  return () => ends.forEach((end) => end());
}

function openCursorRun() {
  const run = cursorRun.peek();
  if (run !== null && !openRun.peek()) showRun(run);
}

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "/": focusOn("over-filter"),
  j: () => moveInTable(1),
  k: () => moveInTable(-1),
  e: openCursorRun,
  u: () => showRun(""),
  v: () => (filterRow.value = !filterRow.peek()),
  c: compare,
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["e"], () => t("keys.open_run")],
  [["u"], () => t("keys.back_to_table")],
  [["v"], () => t("keys.filter_values")],
  [["c"], () => t("keys.compare")],
];
