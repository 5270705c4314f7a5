// A small sheet at a button: above everything, closed by Escape or by a click beside it.

import { html } from "lit-html";

/** @param {{id: string, label: string, toggled?: (open: boolean) => void}} sheet @param {unknown} content */
export const popover = ({ id, label, toggled }, content) => html`
  <div id=${id} class="sheet" popover="auto" role="dialog" aria-label=${label} @keydown=${keepEscape}
    @toggle=${(/** @type {ToggleEvent} */ event) => toggled?.(event.newState === "open")}>${content}</div>`;

/** Escape closes the sheet and nothing below it.
 * @param {KeyboardEvent} event */
function keepEscape(event) {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  /** @type {HTMLElement} */ (event.currentTarget).hidePopover();
}

/** Opens a sheet under its button, inside the window.
 * @param {string} id @param {HTMLElement} button */
export function openAt(id, button) {
  const sheet = /** @type {HTMLElement} */ (document.getElementById(id));
  sheet.showPopover();
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = sheet;
  const left = at.left + width <= innerWidth - 8 ? at.left : Math.max(8, at.right - width);
  const below = at.bottom + 4;
  const top = below + height <= innerHeight - 8 ? below : Math.max(8, at.top - height - 4);
  Object.assign(sheet.style, { left: `${left}px`, top: `${top}px` });
  /** @type {HTMLElement | null} */ (sheet.querySelector("button, input, select, a"))?.focus({ preventScroll: true });
}
