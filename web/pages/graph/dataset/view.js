// The dataset view of the graph page: the pipeline of one of the visible runs.

import { computed } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { choice, select } from "../../../controls/choice.js";
import { empty, noPlugin, noRuns } from "../../../controls/empty_state.js";
import { nameOf, runName } from "../../../controls/run_name.js";
import { runsByName } from "../../../data/runs/catalogue.js";
import { visibleRuns } from "../../../data/runs/runs.js";
import { set, setting } from "../../../data/view/view.js";
import { t } from "../words.js";
import "./dataset_graph.js";

/**
 * The kind of graph that the page shows.
 * @type {import("@preact/signals-core").ReadonlySignal<"computation" | "dataset">}
 */
export const graphKind = setting("graph.kind", "computation", ["computation", "dataset"]);

const chosenRun = setting("graph.run", /** @type {string} */ (""));

/** Visible runs that have a dataset pipeline. */
const datasetRuns = computed(() => visibleRuns.value.filter((run) => runsByName.value.get(run)?.plugins.dataset_graph));

/** The run whose pipeline is shown: the chosen one, or the first that has one; "" for none. */
const datasetRun = computed(() => {
  const runs = datasetRuns.value;
  const isChosen = visibleRuns.value.includes(chosenRun.value);
  return isChosen ? (runs.includes(chosenRun.value) ? chosenRun.value : "") : (runs[0] ?? "");
});

export function datasetView() {
  const runs = datasetRuns.value;
  const run = datasetRun.value;
  if (!runs.length) return noRuns() ?? noPlugin(t("dataset.none"));
  if (run) return html`<dataset-graph .run=${run} data-run=${run}></dataset-graph>`;
  return empty(
    "no_dataset",
    t("dataset.none_of", { run: nameOf(chosenRun.value) }),
    t("dataset.other_runs"),
    chooseRun(),
  );
}

/** Switches between the computational graph and the dataset graph, if there is one. */
export const kindChoice = () =>
  datasetRuns.value.length || graphKind.value === "dataset"
    ? choice(
        "kind",
        t("dataset.kind"),
        [
          ["computation", t("dataset.computation")],
          ["dataset", t("dataset.title")],
        ],
        graphKind.value,
        (kind) => set({ "graph.kind": kind === "computation" ? "" : kind }),
      )
    : nothing;

export const datasetToolbar = () => html`${kindChoice()} ${chooseRun()}<span class="space"></span>`;

/** A selector of the visible runs that have a pipeline; the name if there is only one. */
function chooseRun() {
  const runs = datasetRuns.value;
  const run = datasetRun.value;
  const options = runs.map((name) => /** @type {[string, string]} */ ([name, nameOf(name)]));
  if (!runs.length) return nothing;
  if (run && runs.length < 2) return html`<span class="graph-run">${runName(run)}</span>`;
  return select(
    "dataset-run",
    t("dataset.run"),
    run ? options : [["", t("dataset.choose")], ...options],
    run,
    (chosen) => set({ "graph.run": chosen, "graph.stage": "" }),
  );
}
