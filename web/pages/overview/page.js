// The overview page: the table of runs, or the page of one of them.

import { html, nothing } from "lit-html";
import { noRuns } from "../../controls/empty_state.js";
import { focusOn } from "../../controls/focus_field.js";
import { pageKinds } from "../../controls/panel_kinds.js";
import { followMenu } from "../../controls/run_table/column_menu.js";
import { followPointed } from "../../controls/run_table/run_table.js";
import { stopAll } from "../../data/client/stop_all.js";
import { baseline } from "../../data/runs/baseline.js";
import { runs, runsByName } from "../../data/runs/catalogue.js";
import { runColumns } from "../../data/runs/run_columns.js";
import { detailCache, metrics, rowCache } from "../../data/runs/run_table.js";
import { cursorRun } from "../../data/view/pointer.js";
import { neededValues } from "./columns.js";
import { followNewest } from "./run/newest.js";
import { followDetails, runPage } from "./run/page.js";
import { followScrollPosition, runTable, table } from "./run_table.js";
import { filterRow, openRun, showRun } from "./settings.js";
import { compare, toolbar } from "./toolbar.js";
import { t } from "./words.js";

export const { listedRuns } = table;
export { toolbar };

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

/** The page of a run is available even if every run is hidden: it has the switch to show the run. */
export const content = () => (runs.value.length && openRun.value ? runPage(openRun.value) : runsPage());

const runsPage = () => noRuns() ?? html`${tableError()}${runTable()}`;

pageKinds.set("runs", { prefix: "over", toolbar, content: runsPage, follow });

const tableError = () =>
  runColumns.error.value
    ? html`<p class="page-note" role="alert">${t("overview.failed", { reason: runColumns.error.value.message })}</p>`
    : nothing;

/** Fetches what the page shows until the returned function is called. */
export function follow() {
  return stopAll([
    runColumns.follow(() => (openRun.value ? null : neededValues())),
    rowCache.follow(() => ({
      runs: openRun.value ? [] : table.visibleRuns(),
      query: { metric: metrics.value, sparkline: true, environment: false },
    })),
    detailCache.follow(() => ({
      runs: [openRun.value, baseline.value].filter((run) => openRun.value && runsByName.value.has(run)),
      query: { metric: [], sparkline: false, environment: true },
    })),
    followDetails(),
    followNewest(),
    followScrollPosition(),
    followMenu(),
    followPointed(),
  ]);
}

function openCursorRun() {
  const run = cursorRun.peek();
  if (run !== null && !openRun.peek()) showRun(run);
}

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "/": focusOn("over-filter"),
  j: () => table.moveCursor(1),
  k: () => table.moveCursor(-1),
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
