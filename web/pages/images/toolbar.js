// The settings of the images page: step, brightness and contrast.

import { html, nothing } from "lit-html";
import { pageSlider } from "../../controls/card_parts.js";
import { ICONS } from "../../controls/icons.js";
import { rankChoice } from "../../controls/rank_choice.js";
import { adjustment, bright, contrast, DEFAULT_PERCENT, imageRanks, imageStep, MAX_PERCENT } from "./settings.js";
import { t } from "./words.js";

/** @typedef {typeof bright} Percentage */

export const settings = () => html`
  ${rankChoice(imageRanks)}
  ${pageSlider(imageStep)}
  <div class="adjustments" role="group" aria-label=${t("image.adjustments")} data-filter=${adjustment.value}>
    ${adjuster("bright", t("image.bright"), ICONS.sun, bright)}
    ${adjuster("contrast", t("image.contrast"), ICONS.system, contrast)}
    ${
      adjustment.value === "none"
        ? nothing
        : html`<button class="quiet" data-key="adjust-reset" title=${t("image.adjust_reset")}
          aria-label=${t("image.adjust_reset")} @click=${reset}>${ICONS.reset}</button>`
    }
  </div>`;

/** @param {string} key @param {string} label @param {unknown} icon @param {Percentage} setting */
const adjuster = (key, label, icon, setting) => html`
  <label title="${label}: ${setting.value.value}%" data-key=${key}>${icon}
    <input type="range" min="0" max=${MAX_PERCENT} step="5" .value=${String(setting.value.value)} aria-label=${label}
      aria-valuetext="${setting.value.value}%"
      @input=${(/** @type {Event} */ event) =>
        setting.set(
          Number(/** @type {HTMLInputElement} */ (event.target).value),
        )} @dblclick=${() => setting.set(DEFAULT_PERCENT)}>
  </label>`;

function reset() {
  bright.set(DEFAULT_PERCENT);
  contrast.set(DEFAULT_PERCENT);
}
