// The kinds of panels, and the element that draws each.

import { html } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { pageKinds } from "../../../controls/panel_kinds.js";
import "./bars.js";
import "./lines.js";
import "./markdown.js";
import "./number.js";
import "./page_panel.js";
import "./parallel.js";
import "./scatter.js";
import "./tag_panel.js";

/** `keep` changes settings of pages that the panel keeps.
 * @typedef {{settings: import("../../../data/workspaces/workspace_check.js").Settings, zoom: string,
 * keep: (values: Readonly<Record<string, string>>) => void}} Model */

/** @type {Record<string, (model: Model) => unknown>} */
const CONTENT = {
  lines: (model) => html`<lines-panel .model=${model}></lines-panel>`,
  bars: (model) => html`<bars-panel .model=${model}></bars-panel>`,
  scatter: (model) => html`<scatter-panel .model=${model}></scatter-panel>`,
  parallel: (model) => html`<parallel-panel .model=${model}></parallel-panel>`,
  number: (model) => html`<number-panel .model=${model}></number-panel>`,
  markdown: (model) => html`<markdown-panel .model=${model}></markdown-panel>`,
};

/** @param {string} kind @param {Model} model */
export function panelContent(kind, model) {
  if (CONTENT[kind]) return CONTENT[kind](model);
  return keyed(
    kind,
    pageKinds.has(kind)
      ? html`<page-panel .kind=${kind} .keep=${model.keep} .model=${model}></page-panel>`
      : html`<tag-panel .kind=${kind} .model=${model}></tag-panel>`,
  );
}
