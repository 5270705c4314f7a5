// A slider over steps that have points; it moves from point to point, regardless of their distance.

import { html } from "lit-html";
import { grouped } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";

/** @param {{steps: ArrayLike<number>, at: number, changed: (index: number) => void, label?: string, key?: string}}
 * slider
 * at: index of the shown step */
export const stepSlider = ({ steps, at, changed, label = t("step.slider"), key = "step" }) => {
  const last = Math.max(0, steps.length - 1);
  const moved = (/** @type {Event} */ event) => changed(Number(/** @type {HTMLInputElement} */ (event.target).value));
  const button = (/** @type {number} */ by, /** @type {string} */ text, /** @type {string} */ sign) =>
    html`<button class="quiet" data-key=${`${key}${by < 0 ? "-back" : "-forth"}`} title=${text} aria-label=${text}
      ?disabled=${by < 0 ? at <= 0 : at >= last}
      @click=${() => changed(Math.min(last, Math.max(0, at + by)))}>${sign}</button>`;
  const text = steps.length ? grouped(steps[at]) : "–";
  return html`
    <div class="step-slider" data-key=${key} data-step=${steps.length ? steps[at] : ""}>
      ${button(-1, t("step.back"), "‹")}
      <input type="range" min="0" max=${last} step="1" .value=${String(at)} aria-label=${label} aria-valuetext=${text}
        ?disabled=${last === 0} @input=${moved}>
      ${button(1, t("step.forth"), "›")}
      <output>${t("step.at", { step: text })}</output>
    </div>`;
};
