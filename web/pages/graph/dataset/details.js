// Details of the chosen stage of a dataset pipeline; without one, an outline of the stages.

import { html, nothing } from "lit-html";
import { ICONS } from "../../../controls/icons.js";
import { byRelevance, kindOf } from "../../../data/kinds/dataset_stages.js";
import { parseOperation, valueText } from "../../../data/kinds/dataset_value.js";
import { t } from "../words.js";

/** @typedef {import("./layout.js").Box} Box */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("../../../data/kinds/dataset_stages.js").Placed} Placed */
/** @typedef {import("../../../data/kinds/dataset_stages.js").Parameters} Parameters */
/** @typedef {(id: string) => void} Choose */

/** @param {Layout} layout @param {Box | null} chosen @param {Choose} choose */
export const datasetDetails = ({ boxes }, chosen, choose) =>
  chosen ? details(chosen, choose) : outline(boxes, choose);

/** @param {Box[]} boxes @param {Choose} choose */
const outline = (boxes, choose) => html`
  <h2>${t("dataset.stages", { n: boxes.length })}</h2>
  <ol class="dataset-outline">${boxes.toReversed().map((box) => html`<li>${link(box, choose)}</li>`)}</ol>
  <p class="hint">${t("dataset.hint")}</p>`;

/** @param {Box} box @param {Choose} choose */
function details(box, choose) {
  const { stage, feeds, fedBy } = box;
  return html`
    <header><h2>${stage.op_type || t("dataset.unnamed")}</h2>
      <button class="quiet" data-key="close-stage" title=${t("dataset.close")} aria-label=${t("dataset.close")}
        @click=${() => choose("")}>${ICONS.close}</button></header>
    <p class="meta"
      ?hidden=${t(`dataset.kind_${kindOf(stage)}`) === stage.op_type}>${t(`dataset.kind_${kindOf(stage)}`)}</p>
    ${table(t("dataset.parameters"), stage.parameters, byRelevance(stage.parameters), "parameters")}
    ${stage.operations.map((operation, at) =>
      namedTable(t("dataset.operation", { n: at + 1 }), operation, `operation-${at}`),
    )}
    ${stage.sampler ? namedTable(t("dataset.sampler"), stage.sampler, "sampler") : nothing}
    ${
      fedBy.length
        ? html`<h3>${t("dataset.inputs")}</h3><ul>${fedBy.map((source) => html`<li>${link(source, choose)}</li>`)}</ul>`
        : nothing
    }
    ${feeds ? html`<h3>${t("dataset.output")}</h3>${link(feeds, choose)}` : nothing}`;
}

/** @param {Placed} placed @param {Choose} choose */
const link = ({ id, stage }, choose) =>
  html`<button class="text" data-to-stage=${id}
    @click=${() => choose(id)}>${stage.op_type || t("dataset.unnamed")}</button>`;

/** @param {string} title @param {Parameters} operation @param {string} key */
function namedTable(title, operation, key) {
  const { name, parameters } = parseOperation(operation);
  const names = Object.keys(parameters);
  return name && !names.length
    ? html`<h3>${title}: ${name}</h3>`
    : table(name ? `${title}: ${name}` : title, parameters, names, key);
}

/** @param {string} title @param {Parameters} parameters @param {string[]} names @param {string} key */
const table = (title, parameters, names, key) => html`
  <h3>${title}</h3>
  ${
    names.length
      ? html`<table class="facts" data-table=${key}><tbody>${names.map(
          (name) =>
            html`<tr data-fact=${name}><th scope="row">${name}</th><td>${valueText(parameters[name])}</td></tr>`,
        )}</tbody></table>`
      : html`<p class="hint">${t("dataset.no_parameters")}</p>`
  }`;
