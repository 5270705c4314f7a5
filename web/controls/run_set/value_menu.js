// A button that opens a searchable list of the values of runs: hyperparameters and metrics.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { grouped } from "../../i18n/numbers.js";
import { ICONS } from "../icons.js";
import { openAt, popover } from "../popover.js";
import { t } from "./words.js";

/** `note` is dimmed. @typedef {{id: string, text: string, note?: string}} Choice */
/** @typedef {{title: string, choices: readonly Choice[]}} Section */

/** @typedef {object} ValueMenu
 * @property {string} id of the popover
 * @property {string} label of the button
 * @property {string} title what the list is for
 * @property {string} value what is chosen, shown on the button; "" = nothing
 * @property {() => readonly Section[]} sections
 * @property {(id: string) => boolean} isChosen
 * @property {(id: string) => void} choose
 * @property {() => unknown} [more] further settings, below the list
 * @property {boolean} [staysOpen] can several be chosen?
 * @property {string} [none] what the button in a slot, which has the label, shows if nothing is chosen
 */

/** Longer lists are cut and must be searched. */
const MAX_ROWS = 40;

/** The menu whose list is shown. */
export const openMenu = signal("");
const search = signal("");

/** @param {ValueMenu} menu */
export const valueMenu = (menu) => html`
  <button type="button" class=${menu.none ? "plain group-button" : "run-set-button"} data-menu=${menu.id} aria-haspopup="dialog"
    aria-expanded=${openMenu.value === menu.id} aria-pressed=${menu.value !== ""}
    title=${[menu.title, menu.value].filter(Boolean).join(": ")} @click=${(/** @type {MouseEvent} */ event) => open(menu.id, event)}>
    ${
      menu.none
        ? html`<span>${menu.value || menu.none}</span>`
        : html`<span>${menu.label}</span>${menu.value ? html`<b>${menu.value}</b>` : nothing}${ICONS.chevron}`
    }</button>
  ${popover(
    { id: menu.id, label: menu.title, toggled: (isOpen) => toggled(menu.id, isOpen) },
    openMenu.value === menu.id ? contents(menu) : nothing,
  )}`;

/** The list is rendered before the popover is placed by its size. @param {string} id @param {MouseEvent} event */
function open(id, event) {
  search.value = "";
  openMenu.value = id;
  if (!openAt(id, event)) openMenu.value = "";
}

/** @param {string} id @param {boolean} isOpen */
function toggled(id, isOpen) {
  if (!isOpen && openMenu.peek() === id) openMenu.value = "";
}

/** @param {ValueMenu} menu */
const contents = (menu) => html`
  <div class="value-menu" @keydown=${moveFocus}>
    <input type="text" class="plain" data-key="find-value" spellcheck="false" autocomplete="off"
      placeholder=${t("run_set.find")} aria-label=${t("run_set.find")} .value=${search.value}
      @input=${(/** @type {InputEvent} */ event) => (search.value = /** @type {HTMLInputElement} */ (event.target).value)}>
    <div class="value-list">${menu.sections().map((section) => sectionOf(section, menu))}</div>
    ${menu.more?.() ?? nothing}
  </div>`;

/** @param {Section} section @param {ValueMenu} menu */
function sectionOf({ title, choices }, menu) {
  const words = search.value.toLowerCase().split(/\s+/);
  const found = choices.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  if (!found.length) return nothing;
  return html`${title ? html`<h2>${title}</h2>` : nothing}
    <ul>${found.slice(0, MAX_ROWS).map(
      ({ id, text, note }) => html`<li><button type="button" data-value=${id} aria-pressed=${menu.isChosen(id)}
        title=${text} @click=${() => choose(menu, id)}><span>${text}</span>${
          note ? html`<span class="meta">${note}</span>` : nothing
        }</button></li>`,
    )}</ul>
    ${
      found.length > MAX_ROWS
        ? html`<p class="meta">${t("run_set.more", { n: grouped(found.length - MAX_ROWS) })}</p>`
        : nothing
    }`;
}

/** @param {ValueMenu} menu @param {string} id */
function choose(menu, id) {
  menu.choose(id);
  if (!menu.staysOpen) document.getElementById(menu.id)?.hidePopover();
}

/** Arrow keys move through the list; other keys are not shortcuts of the page. @param {KeyboardEvent} event */
function moveFocus(event) {
  event.stopPropagation();
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  const stops = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[data-key=find-value], .value-list button")]);
  const at = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  stops[Math.max(0, Math.min(stops.length - 1, at + by))].focus();
  event.preventDefault();
}
