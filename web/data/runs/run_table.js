// The table of runs: their states, times and metrics.

import { computed } from "@preact/signals-core";
import { likelyMetrics } from "../series/metrics.js";
import { parseList } from "../view/address_lists.js";
import { setting, view } from "../view/view.js";
import { runCounts, scalarTags } from "./catalogue.js";
import { RunCache } from "./run_cache.js";
import { readOverview } from "./run_table_client.js";

/** @typedef {import("./run_table_client.js").OverviewRun} OverviewRun */

/** Runs of one request: their rows are small. */
const RUNS_AT_ONCE = 1000;
/** Metrics that are shown by default. */
const DEFAULT_METRICS = 2;

const metricList = setting("over.metrics", /** @type {string} */ (""));
/** The tags whose last and best values are columns. Changes only when the tags do. */
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
    DEFAULT_METRICS,
  ).join("\n");
});
const focus = computed(() => view.value.focus);

/** The parameters of a request; sparklines and environments are requested only where they are shown.
 * @typedef {{metric: string[], sparkline: boolean, environment: boolean}} Query */

/** Returns an empty cache of such rows. @param {ConstructorParameters<typeof RunCache>[2]} [stamp]
 * @returns {RunCache<OverviewRun, Query>} */
export const overviewCache = (stamp) =>
  new RunCache(async (run, signal, query) => (await readOverview({ run, ...query }, signal)).runs, RUNS_AT_ONCE, stamp);

/** The visible rows: their sparklines, and the steps of their values. */
export const rowCache = overviewCache();
/** The open run: everything. */
export const detailCache = overviewCache();
