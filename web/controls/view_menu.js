// The button at the end of a toolbar whose popover has the settings of the view that need no slot of their own.

import { html, nothing } from "lit-html";
import { t } from "../i18n/words.js";
import { openAt, popover } from "./popover.js";

/** @param {string} id of the popover @param {number} changed how many settings differ from their defaults
 * @param {unknown} rows */
export const viewMenu = (id, changed, rows) => html`
  <button class="plain options-button" data-key="options" aria-haspopup="dialog" aria-pressed=${changed > 0}
    title=${t("bar.options")} aria-label=${`${t("bar.options")} ${changed || ""}`}
    @click=${(/** @type {MouseEvent} */ event) => openAt(id, event)}>${t("bar.view")}${
      changed ? html`<span class="badge">${changed}</span>` : nothing
    }</button>
  ${popover({ id, label: t("bar.options") }, html`<div class="option-rows">${rows}</div>`)}`;

/** @param {string} label @param {unknown} content */
export const option = (label, content) => html`<div class="option"><span>${label}</span>${content}</div>`;
