// The list of graphs: runs that have graphs, and the graphs of the chosen run, refreshed while it grows.

import { computed, signal } from "@preact/signals-core";
import { listGraphs } from "../../data/kinds/graphs.js";
import { runsByName } from "../../data/runs/catalogue.js";
import { drawnRuns } from "../../data/runs/runs.js";
import { chosenGraph, chosenRun } from "./settings.js";

/** @typedef {import("../../data/kinds/graphs.js").GraphRow} GraphRow */

/** Plugins that contain graphs: the common one, and those of Keras and TensorFlow. */
const PLUGINS = ["graph", "graph_keras_model", "graph_run_metadata_graph"];
/** The number of graph series of a run. @param {import("../../data/client/api_types.js").RunRow | undefined} row */
export const graphSeries = (row) => PLUGINS.reduce((sum, plugin) => sum + (row?.plugins[plugin] ?? 0), 0);

/** Visible runs that have graphs. */
export const candidates = computed(() => drawnRuns.value.filter((run) => graphSeries(runsByName.value.get(run))));
export const run = computed(() =>
  candidates.value.includes(chosenRun.value) ? chosenRun.value : (candidates.value[0] ?? ""),
);

/**
 * The graphs of a run; null until they are listed.
 * @type {import("@preact/signals-core").Signal<{run: string, total: number, rows: GraphRow[]} | null>}
 */
const listed = signal(null);
/** @type {import("@preact/signals-core").Signal<Error | null>} */
export const listError = signal(null);

export const graphs = computed(() => (listed.value?.run === run.value ? listed.value : null));
/** The chosen graph, or the newest that can be shown. */
export const graph = computed(() => {
  const rows = graphs.value?.rows ?? [];
  return (
    rows.find(({ id }) => id === chosenGraph.value) ??
    rows.findLast(({ problem }) => problem === null) ??
    rows.at(-1) ??
    null
  );
});
/** The run and id of the current graph as JSON for requests; "" if none can be shown. */
export const shownKey = computed(() =>
  graph.value && graph.value.problem === null ? JSON.stringify({ run: run.value, graph: graph.value.id }) : "",
);

/** Milliseconds between two listings of a growing run. */
const MIN_INTERVAL = 1000;
/** The fingerprint and the time of the last listing. */
let listedFor = "";
let listedAt = -Infinity;

/** Lists the graphs of the run, and again when the run grows; call it in an effect. */
export function followList() {
  const runName = run.value;
  const row = runsByName.value.get(runName);
  const fingerprint = JSON.stringify([runName, graphSeries(row), row?.updated, row?.damaged_records]);
  if (!row || listedFor === fingerprint) return;
  const wait = graphs.peek() ? listedAt + MIN_INTERVAL - performance.now() : 0;
  const timer = setTimeout(() => list(runName, fingerprint), Math.max(0, wait));
  return () => clearTimeout(timer);
}

/** @param {string} runName @param {string} fingerprint */
async function list(runName, fingerprint) {
  [listedFor, listedAt] = [fingerprint, performance.now()];
  try {
    const { total, graphs: rows } = await listGraphs(runName);
    if (listedFor !== fingerprint) return;
    listed.value = { run: runName, total, rows };
    listError.value = null;
  } catch (error) {
    if (listedFor !== fingerprint) return;
    listedFor = "";
    listError.value = /** @type {Error} */ (error);
  }
}
