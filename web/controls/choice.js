// A selection of one option: as buttons, or as a list.

import { html } from "lit-html";

/** @param {string} name @param {string} label @param {Array<[value: string, text: string, hint?: string]>} options
 * @param {string} chosen @param {(value: string) => void} changed */
export const choice = (name, label, options, chosen, changed) => html`
  <div class="choice" role="group" aria-label=${label} data-choice=${name}>
    ${options.map(
      ([value, text, hint]) =>
        html`<button data-value=${value} aria-pressed=${value === chosen} title=${hint ?? label}
          @click=${() => changed(value)}>${text}</button>`,
    )}
  </div>`;

/** A selection of many options: a drop-down list.
 * @param {string} name @param {string} label @param {Array<[value: string, text: string]>} options
 * @param {string} chosen @param {(value: string) => void} changed */
export const select = (name, label, options, chosen, changed) => html`
  <select class="select" data-select=${name} aria-label=${label} title=${label}
    @change=${(/** @type {Event} */ event) => changed(/** @type {HTMLSelectElement} */ (event.target).value)}>
    ${options.map(
      ([value, text]) =>
        html`<option value=${value} ?selected=${value === chosen} .selected=${value === chosen}>${text}</option>`,
    )}
  </select>`;
