// The kinds of panels, and the element that draws each.

import { html } from "lit-html";
import "./lines.js";
import "./markdown.js";

/** @typedef {{settings: import("../../../data/workspace_check.js").Settings, zoom: string}} Model */

/** @type {Record<string, (model: Model) => unknown>} */
const CONTENT = {
  lines: (model) => html`<lines-panel .model=${model}></lines-panel>`,
  markdown: (model) => html`<markdown-panel .model=${model}></markdown-panel>`,
};

/** @param {string} kind @param {Model} model */
export const panelContent = (kind, model) => CONTENT[kind](model);
