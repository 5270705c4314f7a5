// The runs' hyperparameters, offered for grouping runs.

import { computed } from "@preact/signals-core";
import { Query } from "../../../data/query.js";
import { readOverview } from "../../../data/run_table_client.js";
import { drawnRuns } from "../../../data/runs.js";
import { grouping } from "../../../data/scalar_view.js";
import { valueCounts } from "./value_counts.js";

/** Names are collected from the first runs only; any other name can be typed. */
const MOST_RUNS = 200;

const query = new Query(async (key, signal) => {
  const { runs } = await readOverview(
    { run: JSON.parse(key), metric: [], sparkline: false, environment: false },
    signal,
  );
  return valueCounts(runs.map((run) => run.hyper_parameters));
});

/** In the order of the runs that have them. */
export const parameters = computed(() => query.value.value ?? []);
export const parameterNames = computed(() => parameters.value.map(({ name }) => name));
/** Have they been fetched? */
export const parametersKnown = computed(() => query.value.value !== null);

/** Fetches the names while runs are grouped by a hyperparameter, until the returned function is called. */
export const followParameters = () =>
  query.observe(() => {
    const runs = grouping.value === "param" ? drawnRuns.value.slice(0, MOST_RUNS) : [];
    query.select(runs.length ? JSON.stringify(runs) : null);
  });
