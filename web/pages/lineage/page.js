// The lineage page: what runs were trained with and how good they became, side by side.

import { computed, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { empty, noPlugin, noRuns, skeleton } from "../../controls/empty_state.js";
import { focusOn } from "../../controls/focus_field.js";
import { cursorRun } from "../../data/pointer.js";
import { metrics } from "../../data/run_table.js";
import { change, view } from "../../data/view.js";
import { followMenus } from "./column_menu.js";
import { isMeasurable } from "./insight.js";
import { importance } from "./model/importance.js";
import { lastScalars, lineages, pipelines, wholeRuns } from "./model/runs.js";
import { listedRuns, rowCount, sources, target } from "./rows.js";
import { brushes, clearBrushes, part, scope } from "./settings.js";
import { moveInTable } from "./table.js";
import { drawKept } from "./table_bar.js";
import { t } from "./words.js";
import "./axes_card.js";
import "./insight.js";
import "./scatter.js";

export { toolbar } from "./toolbar.js";

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

export const content = () => noRuns() ?? (rowCount.value ? page() : withoutLineage());

/** Why a part of what runs tell could not be had. */
const failure = computed(() => lineages.error.value ?? pipelines.error.value ?? lastScalars.error.value);
/** How often somebody had it asked for once more. */
const retries = signal(0);
const retry = () =>
  html`<button class="plain" data-key="retry" @click=${() => retries.value++}>${t("card.retry")}</button>`;

const page = () => html`
  <div class="lineage" data-runs=${rowCount.value} data-complete=${lineages.isComplete.value}>
    ${failure.value ? html`<p class="page-note" role="alert">${t("overview.failed", { reason: failure.value.message })} ${retry()}</p>` : nothing}
    <div class="lineage-grid">
      <lineage-axes class="lineage-card"></lineage-axes>
      <lineage-table class="lineage-card"></lineage-table>
      <div class="lineage-side">
        <lineage-insight class="lineage-card"></lineage-insight>
        <lineage-scatter class="lineage-card"></lineage-scatter>
      </div>
    </div>
  </div>`;

function withoutLineage() {
  if (lineages.error.value)
    return empty("failed", t("overview.failed", { reason: lineages.error.value.message }), nothing, retry());
  if (!lineages.isComplete.value) return skeleton();
  return listedRuns.value.length < wholeRuns.value.length || scope.value
    ? empty("no_match", t("lineage.none_listed"), t("lineage.none_listed_more"))
    : noPlugin(t("lineage.none"));
}

/** Begins to ask for what the page shows; returns what ends it. */
export function follow() {
  const ends = [
    lineages.follow(() => ({ runs: wantedRuns(), query: null })),
    pipelines.follow(() => ({ runs: part.value ? wantedRuns() : [], query: null })),
    lastScalars.follow(() => ({
      runs: wantedRuns(),
      query: { metric: metrics.value, sparkline: false, environment: false },
    })),
    importance.follow(() => {
      const column = target.value;
      if (!lineages.isComplete.value || !isMeasurable() || !column) return null;
      return {
        metric: column.name,
        source: column.section === "last" ? "scalar" : "lineage",
        runs: named(),
        stamp: stamp(),
      };
    }),
    followMenus(),
  ];
  return () => ends.forEach((end) => end());
}

/** Told anew with every retry: what could not be had is asked for again. */
function wantedRuns() {
  retries.value;
  return wholeRuns.value;
}

/** The runs that count: those that are chosen; none is named when these are all. */
const named = () => (rowCount.value < lineages.rows.value.size ? sources.value.map(({ run }) => run) : []);

/** Changes with the target's values. */
const stamp = () => `${rowCount.value} ${target.value?.having} ${target.value?.lo} ${target.value?.hi}`;

function openCursorRun() {
  const run = cursorRun.peek();
  if (run !== null) change({ page: "overview", own: { ...view.peek().own, "over.run": run } });
}

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "/": focusOn("lineage-filter"),
  j: () => moveInTable(1),
  k: () => moveInTable(-1),
  e: openCursorRun,
  x: () => brushes.peek().size > 0 && clearBrushes(),
  d: drawKept,
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["e"], () => t("keys.open_run")],
  [["x"], () => t("keys.clear_brushes")],
  [["d"], () => t("keys.draw_kept")],
];
