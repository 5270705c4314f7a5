// The graph page: a computational graph expanded scope by scope, with search and node details in a side panel.

import { effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { empty, loadingRuns, noneDrawn, noPlugin, noRuns, skeleton } from "../../controls/empty_state.js";
import { pageKinds } from "../../controls/panel_kinds.js";
import { runsReply } from "../../data/runs/catalogue.js";
import { datasetToolbar, datasetView, graphKind, kindChoice } from "./dataset/view.js";
import { startWorker } from "./draw/layout.js";
import { candidates, graph, graphSeries, graphs, listError, run } from "./graph_list.js";
import { legend } from "./legend.js";
import { minimapPanel } from "./minimap.js";
import { notices } from "./notices.js";
import { selected } from "./settings.js";
import { side } from "./side_panel.js";
import { follow as followGraphs, scene, sceneError, searchResult } from "./state.js";
import { toolbar as graphToolbar } from "./toolbar.js";
import { t } from "./words.js";
import "./graph_view.js";
import "./minimap.js";

export const toolbar = () =>
  graphKind.value === "dataset" ? datasetToolbar() : html`${kindChoice()} ${graphToolbar()}`;
export { ACTIONS, KEYS } from "./keys.js";

/** Starts the layout worker in advance, since its start-up is slow. */
export const prepare = () => {
  if (runsReply.value?.runs.some(graphSeries)) startWorker();
};

export function follow() {
  const disposers = [followGraphs(), effect(scrollToSelectedRow)];
  return () => {
    for (const dispose of disposers) dispose();
  };
}

/** Scrolls the tree to the row of the selected box. */
function scrollToSelectedRow() {
  [selected.value, scene.value, searchResult.value];
  // The tree is rendered by the same change.
  requestAnimationFrame(() => {
    const row = document.querySelector('.graph-tree [aria-selected="true"]');
    const tree = row?.parentElement;
    if (!row || !tree) return;
    const [rowBox, treeBox] = [row.getBoundingClientRect(), tree.getBoundingClientRect()];
    if (rowBox.top < treeBox.top || rowBox.bottom > treeBox.bottom)
      tree.scrollTop += rowBox.top - treeBox.top - treeBox.height / 2;
  });
}

export const content = () => (graphKind.value === "dataset" ? datasetView() : computation());

pageKinds.set("graph", { prefix: "graph", toolbar, content, follow });

const computation = () => noRuns() ?? withoutGraphs() ?? graphContent();

function withoutGraphs() {
  if (!candidates.value.length) {
    if (runsReply.value?.loading) return loadingRuns();
    const has = runsReply.value?.runs.some(graphSeries);
    return has ? noneDrawn() : noPlugin(t("graph.none"));
  }
  if (!graphs.value) return listError.value ? empty("failed", t("graph.failed"), listError.value.message) : skeleton();
  const row = graph.value;
  if (!row) return empty("no_graph", t("graph.none"), nothing);
  return row.problem === null
    ? null
    : empty("damaged", t("graph.problem"), html`<code>${row.file}</code><br>${row.problem}`);
}

const graphContent = () => html`
  <div class="graph" data-run=${run.value} data-graph=${graph.value?.id ?? ""}>
    <div class="graph-stage">
      ${notices()}
      <div class="graph-frame">
        <graph-view></graph-view>
        ${
          sceneError.value
            ? html`<p class="graph-failed" role="alert">${t("graph.failed")} ${sceneError.value.message}</p>`
            : nothing
        }
        ${scene.value ? minimapPanel() : nothing}
      </div>
      ${legend()}
    </div>
    ${side()}
  </div>`;
