// A field for a regular expression, with an error if it is invalid.

import { html, nothing } from "lit-html";
import { t } from "../i18n/words.js";
import { ICONS } from "./icons.js";

/** @typedef {object} FilterField
 * @property {string} id
 * @property {string} label
 * @property {string} pattern
 * @property {import("../data/text/regex_filter.js").RegexFilter} rule the parsed pattern
 * @property {(pattern: string) => void} changed
 */

/** @param {FilterField} field */
export const filterField = ({ id, label, pattern, rule, changed }) => html`
  <div class="filter">
    ${ICONS.search}
    <input id=${id} type="text" spellcheck="false" autocomplete="off" placeholder=${label} aria-label=${label}
      .value=${pattern} aria-invalid=${rule.error !== null} aria-describedby=${rule.error ? `${id}-error` : nothing}
      @input=${(/** @type {InputEvent} */ event) => changed(/** @type {HTMLInputElement} */ (event.target).value)}>
    ${
      rule.error
        ? html`<p class="field-error" id="${id}-error" role="alert">${t("bar.bad_regex", { reason: rule.error })}</p>`
        : nothing
    }
  </div>`;
