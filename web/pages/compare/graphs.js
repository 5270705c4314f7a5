// The graphs of the compared runs in numbers: the size of the newest, and its operations.

import { html, nothing } from "lit-html";
import { failedPart } from "../../controls/failure.js";
import { runsByName } from "../../data/runs/catalogue.js";
import { comparedRuns } from "../../data/runs/runs.js";
import { grouped } from "../../i18n/numbers.js";
import { differenceTable } from "./differences.js";
import { PerRun } from "./per_run.js";
import { t } from "./words.js";

/** @typedef {import("../../data/series/difference.js").Plain} Plain */

/** @typedef {object} Counts
 * @property {string} source
 * @property {boolean} is_module_tree
 * @property {number} nodes
 * @property {number} edges
 * @property {number} depth
 * @property {Record<string, number>} kinds
 * @property {Record<string, number>} operations
 * @property {number} elements
 * @property {number} unknown_shapes
 */

const GRAPHS = ["graph", "graph_keras_model", "graph_run_metadata_graph"];

export const compareGraphs = new PerRun("graphs/counts", (run) =>
  GRAPHS.some((plugin) => runsByName.value.get(run)?.plugins[plugin]) ? {} : null,
);

export function graphSection() {
  const { value: replies } = compareGraphs.replies;
  const { value: error } = compareGraphs.error;
  if (!replies.size && !error) return nothing;
  const runs = comparedRuns.value.filter((run) => replies.has(run));
  const counts = runs.map((run) => /** @type {Counts} */ (replies.get(run)));
  return html`<section class="compare-section" data-section="graph">
    ${failedPart(error)}
    ${differenceTable(t("compare.graph"), runs, counts.map(numbersOf))}
    ${differenceTable(
      t("compare.operations"),
      runs,
      counts.map(({ operations }) => operations),
    )}
  </section>`;
}

/** @param {Counts} counts @returns {Record<string, Plain>} */
function numbersOf({ source, is_module_tree: isTree, nodes, edges, depth, kinds, elements, unknown_shapes: unknown }) {
  return {
    [t("compare.graph_source")]: isTree ? `${source} (${t("run.module_tree")})` : source,
    [t("compare.graph_nodes")]: grouped(nodes),
    ...(!isTree && { [t("compare.graph_edges")]: grouped(edges) }),
    [t("compare.graph_depth")]: depth,
    [t("compare.graph_operators")]: grouped(kinds.operator ?? 0),
    [t("compare.graph_parameters")]: grouped(kinds.parameter ?? 0),
    ...(kinds.parameter && !unknown && { [t("compare.graph_elements")]: grouped(elements) }),
  };
}
