// The table of runs: of each its state, times and metrics.

import { computed } from "@preact/signals-core";
import { parseList } from "./address_lists.js";
import { runCounts, scalarTags } from "./catalogue.js";
import { likelyMetrics } from "./metrics.js";
import { RunCache } from "./run_cache.js";
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
    [...runCounts.value].map(([tag, count]) => ({ tag, runs: count })),
    focus.value,
    USUAL_METRICS,
  ).join("\n");
});
const focus = computed(() => view.value.focus);

/** What one request asks of its runs; `sparkline` and `environment` are left out where nobody sees them.
 * @typedef {{metric: string[], sparkline: boolean, environment: boolean}} Query */

/** What is told of runs under one such query. @returns {RunCache<OverviewRun, Query>} */
export const overviewCache = () =>
  new RunCache(async (run, signal, query) => (await readOverview({ run, ...query }, signal)).runs, RUNS_AT_ONCE);

/** Of every run: what the table is sorted, filtered and grouped by. */
export const tableCache = overviewCache();
/** Of the runs in sight: their sparklines. */
export const sparklineCache = overviewCache();
/** Of the one or few runs that are looked at closely: everything. */
export const detailCache = overviewCache();
