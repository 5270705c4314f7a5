// A button that copies a text.

import { html } from "lit-html";
import { t } from "../i18n/words.js";
import { copyText } from "./copy_text.js";
import { ICONS } from "./icons.js";

/** Milliseconds for which the button confirms. */
const CONFIRMED = 1200;

/** @param {string} label @param {() => string} text */
export const copyButton = (label, text) => html`<button class="quiet copy-button" data-key="copy" title=${label}
  aria-label=${label} @click=${(/** @type {Event} */ event) =>
    copy(text(), /** @type {HTMLElement} */ (event.currentTarget))}>${ICONS.copy}<span role="status"></span></button>`;

/** @param {string} text @param {HTMLElement} button */
async function copy(text, button) {
  const note = button.querySelector("span");
  if (!(await copyText(text))) return; // The text can still be selected and copied.
  button.dataset.copied = "true";
  if (note) note.textContent = t("state.copied");
  setTimeout(() => {
    delete button.dataset.copied;
    if (note) note.textContent = "";
  }, CONFIRMED);
}
