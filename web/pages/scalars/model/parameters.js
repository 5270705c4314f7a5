// The names of the runs' hyperparameters, offered for grouping runs.

import { computed } from "@preact/signals-core";
import { Query } from "../../../data/query.js";
import { readOverview } from "../../../data/run_table_client.js";
import { drawnRuns } from "../../../data/runs.js";
import { grouping } from "../../../data/scalar_view.js";

/** Names are collected from the first runs only; any other name can be typed. */
const MOST_RUNS = 200;

const query = new Query(async (key, signal) => {
  const { runs } = await readOverview(
    { run: JSON.parse(key), metric: [], sparkline: false, environment: false },
    signal,
  );
  return [...new Set(runs.flatMap((run) => Object.keys(run.hyper_parameters)))];
});

/** In the order of the runs that have them. */
export const parameterNames = computed(() => query.value.value ?? []);

/** Fetches the names while runs are grouped by a hyperparameter, until the returned function is called. */
export const followParameters = () =>
  query.observe(() => {
    const runs = grouping.value === "param" ? drawnRuns.value.slice(0, MOST_RUNS) : [];
    query.select(runs.length ? JSON.stringify(runs) : null);
  });
