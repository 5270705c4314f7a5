// The settings of the images page: the step of all cards, brightness and contrast, how large.

import { html, nothing } from "lit-html";
import { pageSlider } from "../../controls/card_parts.js";
import { ICONS } from "../../controls/icons.js";
import { rankChoice } from "../../controls/rank_choice.js";
import { sizeChoice } from "../../controls/size_choice.js";
import { adjustment, bright, contrast, imageRanks, imageStep, LARGEST, USUAL } from "./image_settings.js";
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
  </div>
  ${sizeChoice()}`;

/** @param {string} key @param {string} label @param {unknown} sign @param {Percentage} setting */
const adjuster = (key, label, sign, setting) => html`
  <label title="${label}: ${setting.value.value} %" data-key=${key}>${sign}
    <input type="range" min="0" max=${LARGEST} step="5" .value=${String(setting.value.value)} aria-label=${label}
      aria-valuetext="${setting.value.value} %"
      @input=${(/** @type {Event} */ event) =>
        setting.set(
          Number(/** @type {HTMLInputElement} */ (event.target).value),
        )} @dblclick=${() => setting.set(USUAL)}>
  </label>`;

function reset() {
  bright.set(USUAL);
  contrast.set(USUAL);
}
