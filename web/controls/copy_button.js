// A button that copies a text. Browsers allow it only on secure origins and on localhost.

import { html, nothing } from "lit-html";
import { t } from "../i18n/words.js";
import { ICONS } from "./icons.js";

/** Milliseconds for which the button confirms. */
const CONFIRMED = 1200;

/** @param {string} label @param {() => string} text */
export const copyButton = (label, text) =>
  navigator.clipboard
    ? html`<button class="quiet copy-button" data-key="copy" title=${label} aria-label=${label}
      @click=${(/** @type {Event} */ event) =>
        copy(
          text(),
          /** @type {HTMLElement} */ (event.currentTarget),
        )}>${ICONS.copy}<span role="status"></span></button>`
    : nothing;

/** @param {string} text @param {HTMLElement} button */
async function copy(text, button) {
  const note = button.querySelector("span");
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    return; // Without permission, the text can still be selected and copied.
  }
  button.dataset.copied = "true";
  if (note) note.textContent = t("state.copied");
  setTimeout(() => {
    delete button.dataset.copied;
    if (note) note.textContent = "";
  }, CONFIRMED);
}
