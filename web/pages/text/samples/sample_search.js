// The field that searches all samples of the page.

import { html } from "lit-html";
import { ICONS } from "../../../controls/icons.js";
import { t } from "../words.js";
import { find, search } from "./settings.js";

export const sampleSearch = () => html`<div class="filter sample-search">${ICONS.search}
  <input type="search" maxlength="1000" spellcheck="false" autocomplete="off" placeholder=${t("samples.search")}
    aria-label=${t("samples.search")} .value=${search.value}
    @input=${(/** @type {InputEvent} */ event) => find(/** @type {HTMLInputElement} */ (event.target).value)}></div>`;
