// Notices above a graph: limits of its source and omitted parts.

import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { grouped } from "../../i18n/numbers.js";
import { graph } from "./graph_list.js";
import { scene } from "./state.js";
import { t } from "./words.js";

export function notices() {
  const row = graph.value;
  if (!row) return nothing;
  const messages = [
    row.is_module_tree ? /** @type {const} */ (["module_tree", t("graph.module_tree")]) : null,
    row.missing_inputs
      ? /** @type {const} */ ([
          "missing",
          t("graph.missing", { n: row.missing_inputs === 1 ? 1 : grouped(row.missing_inputs) }),
        ])
      : null,
    scene.value?.leftOut
      ? /** @type {const} */ ([
          "edges",
          t("graph.omitted_edges", { n: scene.value.leftOut === 1 ? 1 : grouped(scene.value.leftOut) }),
        ])
      : null,
    ...row.left_out.map((text) => /** @type {const} */ (["left_out", text])),
  ].filter((note) => note !== null);
  return messages.length
    ? html`<div class="graph-notes" role="status" tabindex="0">${messages.map(
        ([name, text]) => html`<p data-note=${name}>${ICONS.details}<span>${text}</span></p>`,
      )}</div>`
    : nothing;
}
