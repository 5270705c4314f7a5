// A field for a regular expression, with its broken state.

import { html, nothing } from "lit-html";
import { t } from "../i18n/words.js";
import { ICONS } from "./icons.js";

/** @param {{id: string, label: string, pattern: string, rule: import("../data/regex_filter.js").Filter, changed: (pattern: string) => void}} field */
export const filterField = ({ id, label, pattern, rule, changed }) => html`
  <div class="filter">
    ${ICONS.search}
    <input id=${id} type="text" spellcheck="false" autocomplete="off" placeholder=${label} aria-label=${label}
      .value=${pattern} aria-invalid=${rule.error !== null} aria-describedby=${rule.error ? `${id}-error` : nothing}
      @input=${(/** @type {InputEvent} */ event) => changed(/** @type {HTMLInputElement} */ (event.target).value)}>
    ${rule.error ? html`<p class="field-error" id="${id}-error" role="alert">${t("bar.bad_regex", { reason: rule.error })}</p>` : nothing}
  </div>`;
