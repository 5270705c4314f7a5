// Which graph is shown: the runs that have graphs, and those of one of them, listed again when more is added.

import { computed, signal } from "@preact/signals-core";
import { runsByName } from "../../data/catalogue.js";
import { listGraphs } from "../../data/graphs.js";
import { drawnRuns } from "../../data/runs.js";
import { chosenGraph, chosenRun } from "./settings.js";

/** @typedef {import("../../data/graphs.js").GraphRow} GraphRow */

/** What holds graphs: those of our recorder, MindSpore's and TensorBoard's, and Keras' and TensorFlow's own. */
const PLUGINS = ["graph", "graph_keras_model", "graph_run_metadata_graph"];
/** How many series of graphs a run has. @param {import("../../data/api_types.js").RunRow | undefined} row */
export const graphSeries = (row) => PLUGINS.reduce((sum, plugin) => sum + (row?.plugins[plugin] ?? 0), 0);

/** Drawn runs that have graphs. */
export const candidates = computed(() => drawnRuns.value.filter((run) => graphSeries(runsByName.value.get(run))));
export const run = computed(() =>
  candidates.value.includes(chosenRun.value) ? chosenRun.value : (candidates.value[0] ?? ""),
);

/** The graphs of a run; null before they are listed. @type {import("@preact/signals-core").Signal<{run: string, total: number, rows: GraphRow[]} | null>} */
const listed = signal(null);
/** @type {import("@preact/signals-core").Signal<Error | null>} */
export const listError = signal(null);

export const graphs = computed(() => (listed.value?.run === run.value ? listed.value : null));
/** The one that is shown: the newest that can be, unless another one is chosen. */
export const graph = computed(() => {
  const rows = graphs.value?.rows ?? [];
  return (
    rows.find(({ id }) => id === chosenGraph.value) ??
    rows.findLast(({ problem }) => problem === null) ??
    rows.at(-1) ??
    null
  );
});
/** Its run and id as the server is asked for it, in JSON; "" when none can be shown. */
export const shownKey = computed(() =>
  graph.value && graph.value.problem === null ? JSON.stringify({ run: run.value, graph: graph.value.id }) : "",
);

/** A run that is being written is asked for new graphs at most this often, in milliseconds. */
const PATIENCE = 1000;
/** What the graphs were listed for last, and when. */
let listedFor = "";
let listedAt = -Infinity;

/** Lists the graphs of the run, again when something was added to it; called in an effect. */
export function followList() {
  const wanted = run.value;
  const row = runsByName.value.get(wanted);
  const fingerprint = JSON.stringify([wanted, graphSeries(row), row?.updated, row?.damaged_records]);
  if (!row || listedFor === fingerprint) return;
  const wait = graphs.peek() ? listedAt + PATIENCE - performance.now() : 0;
  const timer = setTimeout(() => list(wanted, fingerprint), Math.max(0, wait));
  return () => clearTimeout(timer);
}

/** @param {string} wanted @param {string} fingerprint */
async function list(wanted, fingerprint) {
  [listedFor, listedAt] = [fingerprint, performance.now()];
  try {
    const { total, graphs: rows } = await listGraphs(wanted);
    if (listedFor !== fingerprint) return;
    listed.value = { run: wanted, total, rows };
    listError.value = null;
  } catch (error) {
    if (listedFor !== fingerprint) return;
    listedFor = "";
    listError.value = /** @type {Error} */ (error);
  }
}
