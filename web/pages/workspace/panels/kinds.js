// The kinds of panels, and the element that draws each.

import { html } from "lit-html";
import "./bars.js";
import "./lines.js";
import "./markdown.js";
import "./media.js";
import "./number.js";
import "./parallel.js";
import "./scatter.js";

/** @typedef {{settings: import("../../../data/workspaces/workspace_check.js").Settings, zoom: string}} Model */

/** @type {Record<string, (model: Model) => unknown>} */
const CONTENT = {
  lines: (model) => html`<lines-panel .model=${model}></lines-panel>`,
  bars: (model) => html`<bars-panel .model=${model}></bars-panel>`,
  scatter: (model) => html`<scatter-panel .model=${model}></scatter-panel>`,
  parallel: (model) => html`<parallel-panel .model=${model}></parallel-panel>`,
  histograms: (model) => html`<histograms-panel .model=${model}></histograms-panel>`,
  images: (model) => html`<images-panel .model=${model}></images-panel>`,
  text: (model) => html`<text-panel .model=${model}></text-panel>`,
  number: (model) => html`<number-panel .model=${model}></number-panel>`,
  markdown: (model) => html`<markdown-panel .model=${model}></markdown-panel>`,
};

/** @param {string} kind @param {Model} model */
export const panelContent = (kind, model) => CONTENT[kind](model);
