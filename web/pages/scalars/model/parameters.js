// The names of the runs' hyperparameters, for those who group by one.

import { effect, signal } from "@preact/signals-core";
import { readOverview } from "../../../data/run_table_client.js";
import { drawnRuns } from "../../../data/runs.js";
import { grouping } from "../../../data/scalar_view.js";

/** Runs that are asked: what these do not have, hardly anybody groups by. */
const MOST_RUNS = 200;

/** In the order of the runs that have them. @type {import("@preact/signals-core").Signal<string[]>} */
export const parameterNames = signal([]);

/** Asks while runs are grouped by a hyperparameter, until the returned function is called. */
export const followParameters = () =>
  effect(() => {
    if (grouping.value !== "param" || !drawnRuns.value.length) return;
    const request = new AbortController();
    readOverview(
      { run: drawnRuns.value.slice(0, MOST_RUNS), metric: [], sparkline: false, environment: false },
      request.signal,
    ).then(
      ({ runs }) => (parameterNames.value = [...new Set(runs.flatMap((run) => Object.keys(run.hyper_parameters)))]),
      () => {}, // Names are only offered: any can be typed.
    );
    return () => request.abort();
  });
