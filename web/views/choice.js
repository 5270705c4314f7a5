// A choice of few: buttons side by side, one of them pressed.

import { html } from "lit-html";

/** @param {string} name @param {string} label @param {Array<[value: string, text: string, hint?: string]>} options
 * @param {string} chosen @param {(value: string) => void} changed */
export const choice = (name, label, options, chosen, changed) => html`
  <div class="choice" role="group" aria-label=${label} data-choice=${name}>
    ${options.map(([value, text, hint]) => html`<button data-value=${value} aria-pressed=${value === chosen} title=${hint ?? label} @click=${() => changed(value)}>${text}</button>`)}
  </div>`;
