// The graph page's settings: which graph, how it is laid out, and taking it away.

import { html, nothing } from "lit-html";
import { choice, select } from "../../controls/choice.js";
import { save } from "../../controls/download.js";
import { ICONS } from "../../controls/icons.js";
import { nameOf } from "../../controls/run_row.js";
import { set } from "../../data/view.js";
import { grouped } from "../../i18n/numbers.js";
import { graphFile, graphPng, graphSvgFile } from "./download.js";
import { toggleFullScreen } from "./full_screen.js";
import { candidates, graph, graphs, run } from "./graph_list.js";
import { scene } from "./selection_state.js";
import { chooseGraph, closeAll, direction, open, part, repeats } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("../../data/graphs.js").GraphRow} GraphRow */

export const toolbar = () => html`
  ${runChoice()} ${graphChoice()}
  <span class="space"></span>
  <div class="graph-settings">
    ${open.value.size ? html`<button class="text" data-key="close-all" @click=${closeAll}>${t("graph.close_all")}</button>` : nothing}
    ${
      graph.value?.source === "mindspore" || part.value === "forward"
        ? choice(
            "part",
            t("graph.part"),
            [
              ["whole", t("graph.whole"), t("graph.whole_hint")],
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
        ["fold", t("graph.fold"), t("graph.fold_hint")],
        ["all", t("graph.unfold"), t("graph.unfold_hint")],
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
      <button class="quiet" data-key="svg" title=${t("graph.svg_hint")} @click=${() => save(graphSvgFile(), graphFile("svg"))}>SVG</button>
      <button class="quiet" data-key="png" title=${t("graph.png_hint")} @click=${async () => save(await graphPng(), graphFile("png"))}>PNG</button>
      <button class="quiet" data-key="full" title="${t("graph.full")} (f)" aria-label=${t("graph.full")} @click=${toggleFullScreen}>${ICONS.enlarge}</button>`
        : nothing
    }
  </div>`;

function runChoice() {
  const runs = candidates.value;
  if (runs.length < 2) return runs.length ? html`<span class="graph-run">${nameOf(runs[0])}</span>` : nothing;
  return select(
    "run",
    t("graph.run"),
    runs.map((name) => [name, nameOf(name)]),
    run.value,
    (name) => chooseGraph(name),
  );
}

function graphChoice() {
  const known = graphs.value;
  if (!known || known.total < 2) return nothing;
  const more = known.total - known.rows.length;
  return html`${select(
    "graph",
    t("graph.which"),
    known.rows.map((row) => [row.id, titleOf(row, known.rows)]),
    graph.value?.id ?? "",
    (id) => chooseGraph(run.peek(), id),
  )}
    ${more ? html`<span class="meta">${t("graph.older", { n: grouped(more) })}</span>` : nothing}`;
}

/** Its name, and what sets it apart from others of that name.
 * @param {GraphRow} row @param {GraphRow[]} rows */
function titleOf(row, rows) {
  const differs = (/** @type {(row: GraphRow) => unknown} */ of) => rows.some((other) => of(other) !== of(row));
  return [
    row.name,
    row.source,
    differs(({ rank }) => rank) ? t("card.rank", { rank: row.rank }) : "",
    differs(({ step }) => step) ? t("step.at", { step: grouped(row.step) }) : "",
    row.problem === null ? "" : t("graph.damaged"),
  ]
    .filter(Boolean)
    .join(" · ");
}
