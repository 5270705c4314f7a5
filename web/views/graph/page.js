// The graph page: one graph, opened scope by scope, and beside it what is found in it and known of its nodes.

import { html, nothing } from "lit-html";
import { t } from "../../state/words.js";
import { candidates, follow as followGraphs, graph, graphs, listError, run, scene, sceneError } from "../../state/graphs.js";
import { listed } from "../../state/catalogue.js";
import { drawnRuns } from "../../state/runs.js";
import { empty, loadingRuns, skeleton, withoutPlugin, withoutRuns } from "../empty_page.js";
import { legend } from "./legend.js";
import { mapFrame } from "./minimap.js";
import { notes } from "./notes.js";
import { side } from "./side.js";
import "./graph_view.js";
import "./minimap.js";

export { toolbar } from "./toolbar.js";
export { ACTIONS, KEYS } from "./keys.js";

export const follow = followGraphs;

export const content = () => withoutRuns() ?? withoutGraphs() ?? shown();

function withoutGraphs() {
  if (!candidates.value.length) {
    if (listed.value?.loading) return loadingRuns();
    const has = listed.value?.runs.some((row) => row.plugins.graph);
    return has ? empty("none_drawn", t(drawnRuns.value.length ? "empty.not_in_drawn" : "card.none_drawn"), nothing) : withoutPlugin(t("graph.none"));
  }
  if (!graphs.value) return listError.value ? empty("failed", t("graph.failed"), listError.value.message) : skeleton();
  const row = graph.value;
  if (!row) return empty("no_graph", t("graph.none"), nothing);
  return row.problem === null ? null : empty("damaged", t("graph.problem"), html`<code>${row.file}</code><br>${row.problem}`);
}

const shown = () => html`
  <div class="graph" data-run=${run.value} data-graph=${graph.value?.id ?? ""}>
    <div class="graph-stage">
      ${notes()}
      <div class="graph-frame">
        <graph-view></graph-view>
        ${sceneError.value ? html`<p class="graph-failed" role="alert">${t("graph.failed")} ${sceneError.value.message}</p>` : nothing}
        ${scene.value ? html`${legend()}${mapFrame()}` : nothing}
      </div>
    </div>
    ${side()}
  </div>`;
