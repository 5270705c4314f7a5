// The graph page: one graph, opened scope by scope, and beside it what is found in it and known of its nodes.

import { effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { empty, loadingRuns, noPlugin, noRuns, skeleton } from "../../controls/empty_state.js";
import { runsReply } from "../../data/catalogue.js";
import { drawnRuns } from "../../data/runs.js";
import { datasetToolbar, datasetView, graphKind, kindChoice } from "./dataset/view.js";
import { warmUp } from "./draw/layout.js";
import { candidates, graph, graphSeries, graphs, listError, run } from "./graph_list.js";
import { legend } from "./legend.js";
import { mapFrame } from "./minimap.js";
import { notes } from "./notes.js";
import { follow as followGraphs, found, scene, sceneError } from "./selection_state.js";
import { selected } from "./settings.js";
import { side } from "./side.js";
import { toolbar as graphToolbar } from "./toolbar.js";
import { t } from "./words.js";
import "./graph_view.js";
import "./minimap.js";

export const toolbar = () =>
  graphKind.value === "dataset" ? datasetToolbar() : html`${kindChoice()} ${graphToolbar()}`;
export { ACTIONS, KEYS } from "./keys.js";

/** The worker takes its time to begin. */
export const prepare = () => {
  if (runsReply.value?.runs.some(graphSeries)) warmUp();
};

export function follow() {
  const ends = [followGraphs(), effect(followRow)];
  return () => ends.forEach((end) => end());
}

/** What is selected in the drawing is brought into sight in the tree. */
function followRow() {
  [selected.value, scene.value, found.value];
  // The tree is drawn by the same change.
  requestAnimationFrame(() => {
    const row = document.querySelector('.graph-tree [aria-selected="true"]');
    const tree = row?.parentElement;
    if (!row || !tree) return;
    const [there, frame] = [row.getBoundingClientRect(), tree.getBoundingClientRect()];
    if (there.top < frame.top || there.bottom > frame.bottom)
      tree.scrollTop += there.top - frame.top - frame.height / 2;
  });
}

export const content = () => (graphKind.value === "dataset" ? datasetView() : computation());

const computation = () => noRuns() ?? withoutGraphs() ?? shown();

function withoutGraphs() {
  if (!candidates.value.length) {
    if (runsReply.value?.loading) return loadingRuns();
    const has = runsReply.value?.runs.some(graphSeries);
    return has
      ? empty("none_drawn", t(drawnRuns.value.length ? "empty.not_in_drawn" : "card.none_drawn"), nothing)
      : noPlugin(t("graph.none"));
  }
  if (!graphs.value) return listError.value ? empty("failed", t("graph.failed"), listError.value.message) : skeleton();
  const row = graph.value;
  if (!row) return empty("no_graph", t("graph.none"), nothing);
  return row.problem === null
    ? null
    : empty("damaged", t("graph.problem"), html`<code>${row.file}</code><br>${row.problem}`);
}

const shown = () => html`
  <div class="graph" data-run=${run.value} data-graph=${graph.value?.id ?? ""}>
    <div class="graph-stage">
      ${notes()}
      <div class="graph-frame">
        <graph-view></graph-view>
        ${sceneError.value ? html`<p class="graph-failed" role="alert">${t("graph.failed")} ${sceneError.value.message}</p>` : nothing}
        ${scene.value ? mapFrame() : nothing}
      </div>
      ${legend()}
    </div>
    ${side()}
  </div>`;
