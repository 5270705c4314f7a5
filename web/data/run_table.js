// The table of runs: of each its state, times and metrics.

import { computed } from "@preact/signals-core";
import { parseList } from "./address_lists.js";
import { runsHaving, scalarTags } from "./catalogue.js";
import { likelyMetrics } from "./metrics.js";
import { ToldRuns } from "./run_cache.js";
import { readOverview } from "./run_table_client.js";
import { setting, view } from "./view.js";

/** @typedef {import("./run_table_client.js").OverviewRun} OverviewRun */

/** Of a run there is little to tell. */
const RUNS_AT_ONCE = 1000;
/** Metrics that are shown when nobody has chosen any. */
const USUAL_METRICS = 2;

const metricList = setting("over.metrics", /** @type {string} */ (""));
/** The tags whose last and best values are columns; told only when they change. */
export const metrics = computed(() => chosenMetrics.value.split("\n").filter(Boolean));
const chosenMetrics = computed(() => {
  if (metricList.value) {
    const tags = new Set(scalarTags.value);
    return parseList(metricList.value)
      .filter((tag) => tags.has(tag))
      .join("\n");
  }
  return likelyMetrics(
    [...runsHaving.value].map(([tag, count]) => ({ tag, runs: count })),
    focus.value,
    USUAL_METRICS,
  ).join("\n");
});
const focus = computed(() => view.value.focus);

/** What one request asks of its runs; `sparkline` and `environment` are left out where nobody sees them.
 * @typedef {{metric: string[], sparkline: boolean, environment: boolean}} Query */

/** What is told of runs under one such query. @returns {ToldRuns<OverviewRun, Query>} */
export const runFacts = () =>
  new ToldRuns(async (run, signal, query) => (await readOverview({ run, ...query }, signal)).runs, RUNS_AT_ONCE);

/** Of every run: what the table is sorted, filtered and grouped by. */
export const tableFacts = runFacts();
/** Of the runs in sight: their sparklines. */
export const sparklineFacts = runFacts();
/** Of the one or few runs that are looked at closely: everything. */
export const closeFacts = runFacts();
