// The lineage page: hyperparameters, datasets and results of all runs side by side.

import { computed, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { empty, noPlugin, noRuns, skeleton } from "../../controls/empty_state.js";
import { retryButton } from "../../controls/failure.js";
import { focusOn } from "../../controls/focus_field.js";
import { pageKinds } from "../../controls/panel_kinds.js";
import { followMenu } from "../../controls/run_table/column_menu.js";
import { runNames } from "../../data/runs/catalogue.js";
import { metrics } from "../../data/runs/run_table.js";
import { cursorRun } from "../../data/view/pointer.js";
import { change, view } from "../../data/view/view.js";
import { importance } from "./model/importance.js";
import { lastScalars, lineages, pipelines } from "./model/runs.js";
import { table } from "./run_table.js";
import { brushes, clearBrushes, part, scope } from "./settings.js";
import { listedRuns as possibleRuns, rowCount, runs, target } from "./state.js";
import { showOnlyKept } from "./table_toolbar.js";
import { isMeasurable } from "./target_card.js";
import { targetField, toolbar } from "./toolbar.js";
import { t } from "./words.js";
import "./axes_card.js";
import "./target_card.js";
import "./scatter_card.js";

export const { listedRuns } = table;
export { toolbar };

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

export const content = () => noRuns() ?? (rowCount.value ? lineagePage() : withoutLineage());

/** The importance of hyperparameters for a target, and its distribution. */
const importanceOnly = () => noRuns() ?? (rowCount.value ? html`<lineage-target></lineage-target>` : withoutLineage());

pageKinds.set("importance", { prefix: "lineage", toolbar: targetField, content: importanceOnly, follow });

/** The error of a failed request. */
const failure = computed(() => lineages.error.value ?? pipelines.error.value ?? lastScalars.error.value);
/** The number of retries by the user. */
const retries = signal(0);
const retry = () => retryButton(() => retries.value++);

const lineagePage = () => html`
  <div class="lineage" data-runs=${rowCount.value} data-complete=${lineages.isComplete.value}>
    ${
      failure.value
        ? html`<p class="page-note"
          role="alert">${t("overview.failed", { reason: failure.value.message })} ${retry()}</p>`
        : nothing
    }
    <div class="lineage-grid">
      <lineage-axes class="lineage-card"></lineage-axes>
      <lineage-table class="lineage-card"></lineage-table>
      <div class="lineage-side">
        <lineage-target class="lineage-card"></lineage-target>
        <lineage-scatter class="lineage-card"></lineage-scatter>
      </div>
    </div>
  </div>`;

function withoutLineage() {
  if (lineages.error.value)
    return empty("failed", t("overview.failed", { reason: lineages.error.value.message }), nothing, retry());
  if (!lineages.isComplete.value) return skeleton();
  return possibleRuns.value.length < runNames.value.length || scope.value
    ? empty("no_match", t("lineage.none_in_selection"), t("lineage.none_in_selection_hint"))
    : noPlugin(t("lineage.none"));
}

/** Loads the data of the page until the returned function is called. */
export function follow() {
  const disposers = [
    lineages.follow(() => ({ runs: requestedRuns(), query: null })),
    pipelines.follow(() => ({ runs: part.value ? requestedRuns() : [], query: null })),
    lastScalars.follow(() => ({
      runs: requestedRuns(),
      query: { metric: metrics.value, sparkline: false, environment: false },
    })),
    importance.follow(() => {
      const column = target.value;
      if (!lineages.isComplete.value || !isMeasurable() || !column) return null;
      return {
        metric: column.name,
        source: column.section === "last" ? "scalar" : "lineage",
        runs: selectedRuns(),
        stamp: dataFingerprint(),
      };
    }),
    followMenu(),
  ];
  return () => {
    for (const dispose of disposers) dispose();
  };
}

/** The runs to load; changes with every retry, so that failed requests are repeated. */
function requestedRuns() {
  retries.value;
  return runNames.value;
}

/** The selected runs; an empty list means all of them. */
const selectedRuns = () => (rowCount.value < lineages.rows.value.size ? runs.value : []);

/** Changes when the target's values do. */
const dataFingerprint = () => `${rowCount.value} ${target.value?.recordedRuns} ${target.value?.lo} ${target.value?.hi}`;

function openCursorRun() {
  const run = cursorRun.peek();
  if (run !== null) change({ page: "overview", own: { ...view.peek().own, "over.run": run } });
}

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "/": focusOn("lineage-filter"),
  j: () => table.moveCursor(1),
  k: () => table.moveCursor(-1),
  e: openCursorRun,
  x: () => brushes.peek().size > 0 && clearBrushes(),
  d: showOnlyKept,
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["e"], () => t("keys.open_run")],
  [["x"], () => t("keys.clear_brushes")],
  [["d"], () => t("keys.show_only_kept")],
];
