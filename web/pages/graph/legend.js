// The legend: the kinds of boxes and lines that the drawn graph contains.

import { html, nothing, svg } from "lit-html";
import { grouped } from "../../i18n/numbers.js";
import { graph } from "./graph_list.js";
import { scene } from "./state.js";
import { t } from "./words.js";

/** @typedef {import("./model/boxes.js").Box["kind"]} Kind */

/** @type {Kind[]} */
const KINDS = ["scope", "operator", "parameter", "constant", "input", "output", "rest"];
/** @type {Partial<Record<Kind, number>>} */
const ROUND = { scope: 4, operator: 3, parameter: 7, input: 7, output: 7 };

/** @param {Kind} kind */
const box = (kind) =>
  svg`<rect x="1" y="1" width="22" height="12" rx=${ROUND[kind] ?? 1} fill="var(--graph-${kind})"
    stroke="var(--graph-border)" stroke-dasharray=${kind === "constant" || kind === "rest" ? "3 2" : "none"}/>`;

/** @param {string} name @param {import("lit-html").TemplateResult} sign @param {string} text */
const row = (name, sign, text) =>
  html`<li data-kind=${name}><svg viewBox="0 0 27 17" aria-hidden="true">${sign}</svg>${text}</li>`;

export function legend() {
  const drawn = scene.value;
  const boxes = drawn?.boxes ?? [];
  const kinds = new Set(boxes.map((each) => each.box.kind));
  return html`<footer class="graph-legend"><ul aria-label=${t("graph.legend")}>
    ${KINDS.filter((kind) => kinds.has(kind)).map((kind) => row(kind, box(kind), t(`graph.kind_${kind}`)))}
    ${
      boxes.some((each) => each.box.count > 1 && each.box.kind !== "rest")
        ? row(
            "repeated",
            svg`<rect x="4" y="4" width="22" height="12" rx="4" fill="var(--graph-scope)"
              stroke="var(--graph-border)"/>${box("scope")}`,
            t("graph.kind_repeated"),
          )
        : nothing
    }
    ${
      drawn?.lines.length
        ? row(
            "flow",
            svg`<path d="M1 8h24" stroke="var(--graph-edge)" stroke-width="1.5"/><path d="M20 4.5L26 8l-6 3.5z"
              fill="var(--graph-edge)"/>`,
            t("graph.line_flow"),
          )
        : nothing
    }
    ${
      drawn?.lines.some(({ control }) => control)
        ? row(
            "control",
            svg`<path d="M1 8h24" stroke="var(--graph-edge)" stroke-width="1.5" stroke-dasharray="4 3"/>`,
            t("graph.line_control"),
          )
        : nothing
    }
  </ul>
  <span class="meta graph-count">${countText()}</span></footer>`;
}

/** The source of the graph and its numbers of nodes and edges. */
function countText() {
  const { source, nodes, edges } = graph.value ?? {};
  if (typeof nodes !== "number" || typeof edges !== "number") return "";
  return [
    source,
    t("graph.nodes", { n: nodes === 1 ? 1 : grouped(nodes) }),
    t("graph.edges", { n: edges === 1 ? 1 : grouped(edges) }),
  ]
    .filter(Boolean)
    .join(" · ");
}
