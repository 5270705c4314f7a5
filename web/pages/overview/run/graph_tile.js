// The tile of a run's graphs: the size and the source of the newest one.

import { html, nothing } from "lit-html";
import { grouped } from "../../../i18n/numbers.js";
import { t } from "../words.js";
import { ListedPart } from "./listed_part.js";

class GraphTile extends ListedPart {
  get kind() {
    return /** @type {const} */ ("graphs");
  }

  get query() {
    return { limit: 1 };
  }

  /** @param {{graphs: import("../../../data/kinds/graphs.js").GraphRow[]}} reply */
  template({ graphs }) {
    const newest = graphs.at(-1);
    if (!newest) return nothing;
    if (newest.problem !== null) return html`<p class="hint">${newest.problem}</p>`;
    return html`<div class="tile-graph" data-graph=${newest.id} data-nodes=${newest.nodes} data-edges=${newest.edges}
      data-source=${newest.source}>
      <p class="tile-numbers"><span><b>${grouped(newest.nodes ?? 0)}</b> ${t("run.graph_nodes", {
        n: newest.nodes ?? 0,
      })}</span>
        ${
          newest.is_module_tree
            ? nothing
            : html`<span><b>${grouped(newest.edges ?? 0)}</b> ${t("run.graph_edges", { n: newest.edges ?? 0 })}</span>`
        }</p>
      <p class="meta" title=${newest.name}>${SOURCES[newest.source ?? ""] ?? newest.source} · ${newest.name}</p>
      ${
        newest.is_module_tree
          ? html`<p class="meta"
        data-note="module_tree">${t("run.module_tree")}</p>`
          : nothing
      }</div>`;
  }
}

/** Names of the sources of graphs. @type {Record<string, string>} */
const SOURCES = {
  mindspore: "MindSpore",
  tensorflow: "TensorFlow",
  torch: "PyTorch",
  keras: "Keras",
  toposcope: "Toposcope",
};

customElements.define("graph-tile", GraphTile);
