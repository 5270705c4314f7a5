// The forms of panels that are drawn as on a page: a tag with the settings of its page, or a whole page.

import { html } from "lit-html";
import { tagKinds } from "../../../controls/panel_kinds.js";
import { t } from "../words.js";
import { textField } from "./fields.js";

/** @typedef {import("./editor.js").Target} Target */

const TAGS = "ws-tags-of-kind";
/** Tags offered for completion. */
const MAX_OFFERED = 1000;

/** @param {string} kind @param {Target} target */
export function pageForm(kind, { own, put }) {
  const found = tagKinds.get(kind);
  if (!found) return html`<p class="hint">${t("ws.page_hint")}</p>`;
  const tags = [...found.tags.runsByTag.value.keys()].slice(0, MAX_OFFERED);
  return html`
    ${textField("tag", t("ws.tag"), String(own.tag ?? ""), (tag) => put("tag", tag || undefined), { list: TAGS })}
    <datalist id=${TAGS}>${tags.map((tag) => html`<option value=${tag}></option>`)}</datalist>
    <div class="ws-field" data-field="page" role="group" aria-label=${t("ws.page_settings")}>
      <span class="ws-label">${t("ws.page_settings")}</span>
      <div class="ws-page-settings">${found.settings()}</div>
    </div>`;
}
