// A popover at a button, closed by Escape or by a click outside it.

import { html } from "lit-html";

/** @param {{id: string, label: string, toggled?: (open: boolean) => void}} sheet @param {unknown} content */
export const popover = ({ id, label, toggled }, content) => html`
  <div id=${id} class="sheet" popover="auto" role="dialog" aria-label=${label} @keydown=${keepEscape}
    @toggle=${(/** @type {ToggleEvent} */ event) => toggled?.(event.newState === "open")}>${content}</div>`;

/** Escape closes only the popover, and the focus goes back to its button: in a hidden field, keys would be lost.
 * @param {KeyboardEvent} event */
function keepEscape(event) {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  const sheet = /** @type {HTMLElement} */ (event.currentTarget);
  sheet.hidePopover();
  buttonOf.get(sheet)?.focus({ preventScroll: true });
}

/** The popover that was open on pointerdown: by the time of the click, the browser has closed it.
 * @type {Element | null} */
let openAtPress = null;
addEventListener("pointerdown", () => void (openAtPress = document.querySelector(".sheet:popover-open")), true);

/** The button at which each popover was last opened. @type {WeakMap<Element, HTMLElement>} */
const buttonOf = new WeakMap();

/** Opens a popover at its button, or closes it if this button opened it.
 * @param {string} id @param {MouseEvent} event on the button @returns {boolean} is it open? */
export function openAt(id, event) {
  const sheet = /** @type {HTMLElement} */ (document.getElementById(id));
  const button = /** @type {HTMLElement} */ (event.currentTarget);
  const isOpen = sheet.matches(":popover-open");
  const wasOpen = isOpen || (event.detail > 0 && openAtPress === sheet);
  if (isOpen) sheet.hidePopover();
  if (wasOpen && buttonOf.get(sheet) === button) return false;
  buttonOf.set(sheet, button);
  sheet.showPopover();
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = sheet;
  const left = at.left + width <= innerWidth - 8 ? at.left : Math.max(8, at.right - width);
  const below = at.bottom + 4;
  const top = below + height <= innerHeight - 8 ? below : Math.max(8, at.top - height - 4);
  Object.assign(sheet.style, { left: `${left}px`, top: `${top}px` });
  /** @type {HTMLElement | null} */ (sheet.querySelector("button, input, select, a"))?.focus({ preventScroll: true });
  return true;
}
