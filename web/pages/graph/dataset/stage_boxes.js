// The SVG drawing of a dataset pipeline: a box for each stage, and an arrow to its consumer.

import { html, nothing, svg } from "lit-html";
import { kindOf } from "../../../data/kinds/dataset_stages.js";
import { truncated } from "../../../data/kinds/dataset_value.js";
import { t } from "../words.js";
import { HEAD_HEIGHT, LINE_HEIGHT } from "./layout.js";

/** @typedef {import("./layout.js").Box} Box */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./layout.js").Line} Line */

/** Characters that fit in a title and in a line of a box. */
const TITLE_LENGTH = 30;
const LINE_LENGTH = 35;
/** The same in a monospaced font. */
const CODE_LENGTH = 33;
const PADDING = 14;

/** @param {Layout} layout @param {Box | null} chosen @param {(id: string) => void} choose */
export function stageBoxes({ boxes, width, height }, chosen, choose) {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  // Roving focus: one box is a tab stop, arrow keys move to the others.
  const focusTarget = chosen ?? boxes[0];
  return html`<svg viewBox="0 0 ${width} ${height}" width=${width} height=${height} role="group"
    aria-label=${t("dataset.title")}>
    ${boxes.map((box) => arrow(box, byId.get(box.feeds?.id ?? "")))}
    ${boxes.toReversed().map((box) => stageBox(box, box === chosen, box === focusTarget, choose))}
  </svg>`;
}

/** @param {Box} box @param {Box | undefined} to */
function arrow(box, to) {
  if (!to) return nothing;
  const [x, y, endX, endY] = [box.x + box.width / 2, box.y + box.height, to.x + to.width / 2, to.y];
  const middle = (y + endY) / 2;
  const course =
    x === endX ? `M${x} ${y}V${endY - 5}` : `M${x} ${y}C${x} ${middle} ${endX} ${middle} ${endX} ${endY - 5}`;
  return svg`<g class="dataset-arrow" data-from=${box.id} data-to=${to.id}><path d=${course}/><path class="head"
    d=${`M${endX - 4} ${endY - 7}L${endX} ${endY - 1}L${endX + 4} ${endY - 7}Z`}/></g>`;
}

/** @param {Box} box @param {boolean} isChosen @param {boolean} isFocusTarget @param {(id: string) => void} choose */
function stageBox(box, isChosen, isFocusTarget, choose) {
  const { id, stage, x, y, width, height, lines, more } = box;
  const name = stage.op_type || t("dataset.unnamed");
  const shown = lines.map(cutLine);
  const rest = more ? t("dataset.more", { n: more }) : "";
  const tooltip = [name, ...lines.map((line) => (line.name ? `${line.name} ${line.text}` : line.text))];
  // The accessible name contains the visible text, as voice control requires.
  const accessibleName = [truncated(name, TITLE_LENGTH), ...shown.map((line) => `${line.name} ${line.text}`), rest]
    .join(" ")
    .replaceAll("  ", " ")
    .trim();
  return svg`<g class="dataset-stage" transform=${`translate(${x} ${y})`} data-stage=${id} data-op=${stage.op_type}
    data-kind=${kindOf(stage)} role="button" aria-pressed=${isChosen} tabindex=${isFocusTarget ? 0 : -1}
    aria-label=${accessibleName} @click=${() => choose(isChosen ? "" : id)}>
    <title>${tooltip.join("\n")}</title>
    <rect class="body" width=${width} height=${height} rx="6"/>
    <rect class="strip" x="0.5" y="6" width="3" height=${height - 12} rx="1.5"/>
    <text class="name" x=${PADDING} y="20">${truncated(name, TITLE_LENGTH)}</text>
    ${shown.map((line, at) => lineText(line, HEAD_HEIGHT + at * LINE_HEIGHT + 12))}
    ${
      more
        ? svg`<text class="more" x=${PADDING} y=${HEAD_HEIGHT + lines.length * LINE_HEIGHT + 12}>${rest}</text>`
        : nothing
    }
  </g>`;
}

/** @param {Line} line @returns {Line} */
const cutLine = ({ name, text }) =>
  name
    ? { name: truncated(name, LINE_LENGTH - 6), text: truncated(text, Math.max(5, LINE_LENGTH - 1 - name.length)) }
    : { name, text: truncated(text, CODE_LENGTH) };

/** The leading space separates the line from the previous one for screen readers.
 * @param {Line} line @param {number} y */
const lineText = ({ name, text }, y) =>
  name
    ? svg` <text class="parameter" x=${PADDING} y=${y}><tspan
      class="label">${name}</tspan> <tspan>${text}</tspan></text>`
    : svg` <text class="operation" x=${PADDING} y=${y}>${text}</text>`;
