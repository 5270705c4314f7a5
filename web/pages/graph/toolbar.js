// The toolbar of the graph page: graph, layout options and downloads.

import { html, nothing } from "lit-html";
import { choice, select } from "../../controls/choice.js";
import { save } from "../../controls/download.js";
import { ICONS } from "../../controls/icons.js";
import { nameOf, runName } from "../../controls/run_name.js";
import { set } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { graphFile, graphPng, graphSvgFile } from "./download.js";
import { toggleFullScreen } from "./full_screen.js";
import { candidates, graph, graphs, run } from "./graph_list.js";
import { titlesOf } from "./model/graph_titles.js";
import { chooseGraph, collapseAll, direction, open, part, repeats } from "./settings.js";
import { scene } from "./state.js";
import { t } from "./words.js";

export const toolbar = () => html`
  ${runChoice()} ${graphChoice()}
  <span class="space"></span>
  <div class="graph-settings">
    ${
      open.value.size
        ? html`<button class="text" data-key="close-all" @click=${collapseAll}>${t("graph.collapse_all")}</button>`
        : nothing
    }
    ${
      graph.value?.source === "mindspore" || part.value === "forward"
        ? choice(
            "part",
            t("graph.part"),
            [
              ["whole", t("graph.full_graph"), t("graph.full_graph_hint")],
              ["forward", t("graph.forward"), t("graph.forward_hint")],
            ],
            part.value,
            (value) => set({ "graph.part": value === "whole" ? "" : value }),
          )
        : nothing
    }
    ${choice(
      "repeats",
      t("graph.repeats"),
      [
        ["fold", t("graph.grouped"), t("graph.grouped_hint")],
        ["all", t("graph.separate"), t("graph.separate_hint")],
      ],
      repeats.value,
      (value) => set({ "graph.repeats": value === "fold" ? "" : value }),
    )}
    ${choice(
      "direction",
      t("graph.direction"),
      [
        ["down", "↓", t("graph.down")],
        ["right", "→", t("graph.right")],
      ],
      direction.value,
      (value) => set({ "graph.dir": value === "down" ? "" : value }),
    )}
    ${
      scene.value
        ? html`
      <button class="quiet" data-key="svg" title=${t("graph.svg_hint")}
        @click=${() => save(graphSvgFile(), graphFile("svg"))}>SVG</button>
      <button class="quiet" data-key="png" title=${t("graph.png_hint")}
        @click=${async () => save(await graphPng(), graphFile("png"))}>PNG</button>
      <button class="quiet" data-key="full" title="${t("graph.full_screen")} (f)" aria-label=${t("graph.full_screen")}
        @click=${toggleFullScreen}>${ICONS.enlarge}</button>`
        : nothing
    }
  </div>`;

function runChoice() {
  const runs = candidates.value;
  if (runs.length < 2) return runs.length ? html`<span class="graph-run">${runName(runs[0])}</span>` : nothing;
  return select(
    "run",
    t("graph.run"),
    runs.map((name) => [name, nameOf(name)]),
    run.value,
    (name) => chooseGraph(name),
  );
}

function graphChoice() {
  const listed = graphs.value;
  if (!listed || listed.total < 2) return nothing;
  const more = listed.total - listed.rows.length;
  const titles = titlesOf(listed.rows);
  return html`${select(
    "graph",
    t("graph.graph"),
    listed.rows.map((row, at) => [row.id, titles[at]]),
    graph.value?.id ?? "",
    (id) => chooseGraph(run.peek(), id),
  )}
    ${more ? html`<span class="meta">${t("graph.older", { n: grouped(more) })}</span>` : nothing}`;
}
