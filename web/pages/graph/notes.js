// What is to be known of a graph before it is read: where it comes from, and what of it is missing.

import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { grouped } from "../../i18n/numbers.js";
import { graph } from "./graph_list.js";
import { scene } from "./selection_state.js";
import { t } from "./words.js";

export function notes() {
  const row = graph.value;
  if (!row) return nothing;
  const said = [
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
          t("graph.left_out", { n: scene.value.leftOut === 1 ? 1 : grouped(scene.value.leftOut) }),
        ])
      : null,
    ...row.left_out.map((text) => /** @type {const} */ (["left_out", text])),
  ].filter((note) => note !== null);
  return said.length
    ? html`<div class="graph-notes" role="status" tabindex="0">${said.map(([name, text]) => html`<p data-note=${name}>${ICONS.details}<span>${text}</span></p>`)}</div>`
    : nothing;
}
