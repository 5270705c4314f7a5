// Menus of columns: which are shown, and in which order.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { grouped } from "../../i18n/numbers.js";
import { ICONS } from "../icons.js";
import { t } from "./words.js";

/** `count` of its distinct values. @typedef {{id: string, group: string, title: string, count?: number}} MenuColumn */

/** @typedef {object} Menu
 * @property {string} key of its button
 * @property {string} label
 * @property {readonly string[]} shown ids, in order
 * @property {() => readonly MenuColumn[]} all called while the menu is open
 * @property {(ids: string[]) => void} choose
 * @property {() => void} reset to the columns that are shown by default
 * @property {boolean} isDefault
 * @property {(matches: (title: string) => boolean) => unknown} [more] below the columns
 */

/** Longer lists are truncated and must be searched. */
export const MAX_ROWS = 60;

/** The key of the open menu; "" = none is open. */
const openMenu = signal("");
const search = signal("");

/** Closes the menu on a press outside it, until the returned function is called. */
export function followMenu() {
  const pressed = (/** @type {Event} */ { target }) => {
    if (!(target instanceof Element && target.closest(".menu-anchor"))) openMenu.value = "";
  };
  document.addEventListener("pointerdown", pressed);
  return () => {
    document.removeEventListener("pointerdown", pressed);
    openMenu.value = "";
  };
}

/** @param {string} title */
const matchesSearch = (title) => title.toLowerCase().includes(search.value.toLowerCase());

/** A button, and below it the menu while it is open. @param {Menu} menu */
export function columnMenu(menu) {
  const isOpen = openMenu.value === menu.key;
  const toggle = () => {
    search.value = "";
    openMenu.value = isOpen ? "" : menu.key;
  };
  return html`<span class="menu-anchor">
    <button class="plain" data-key=${menu.key} aria-expanded=${isOpen} aria-haspopup="true"
      @click=${toggle}>${menu.label}${ICONS.chevron}</button>
    ${isOpen ? sheet(menu) : nothing}
  </span>`;
}

/** @param {Menu} menu */
function sheet({ key, label, shown, all, choose, reset, isDefault, more }) {
  const columns = new Map(all().map((column) => [column.id, column]));
  const matches = [...columns.values()].filter(({ title }) => matchesSearch(title));
  const hidden = matches.filter(({ id }) => !shown.includes(id));
  const withoutMatches = () => shown.filter((id) => !matches.some((column) => column.id === id));
  return html`
    <div class="menu" role="group" aria-label=${label}
      @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, key)}>
      <div class="menu-head">
        <input class="plain" type="text" spellcheck="false" placeholder=${t("overview.find")}
          aria-label=${t("overview.find")} data-key="find-column" .value=${search.value}
          @input=${(/** @type {InputEvent} */ event) =>
            (search.value = /** @type {HTMLInputElement} */ (event.target).value)}>
        <button class="text" data-key="usual-columns" ?disabled=${isDefault} @click=${reset}>${t("overview.usual")}</button>
      </div>
      <p class="menu-all">
        <button class="text" data-key="all-columns" ?disabled=${!hidden.length}
          @click=${() => choose([...shown, ...hidden.map(({ id }) => id)])}>${t("run_table.select_all", {
            n: grouped(matches.length),
          })}</button>
        <button class="text" data-key="no-columns"
          @click=${() => choose(withoutMatches())}>${t("run_table.select_none")}</button>
      </p>
      <h2>${t("run_table.shown_columns")}</h2>
      <ol>${repeat(
        shown,
        (id) => id,
        (id, at) => shownColumn(/** @type {MenuColumn} */ (columns.get(id)), at, shown, choose),
      )}</ol>
      ${repeat(
        Map.groupBy(hidden.slice(0, MAX_ROWS), ({ group }) => group),
        ([group]) => group,
        ([group, members]) => html`<h2>${group || t("run_table.other_columns")}</h2>
        <ul>${repeat(
          members,
          ({ id }) => id,
          ({ id, title, count }) => choice(id, title, false, () => choose([...shown, id]), count),
        )}</ul>`,
      )}
      ${furtherMatches(hidden.length)}
      ${more?.(matchesSearch) ?? nothing}
    </div>`;
}

/** @param {MenuColumn} column @param {number} at @param {readonly string[]} shown @param {Menu["choose"]} choose */
function shownColumn({ id, title, count }, at, shown, choose) {
  if (!matchesSearch(title)) return nothing;
  const others = shown.filter((other) => other !== id);
  const move = (/** @type {number} */ by) => choose(others.toSpliced(at + by, 0, id));
  return html`<li data-shown-column=${id}>
    <label><input type="checkbox" .checked=${true} @change=${() => choose(others)}><span>${title}</span></label>
    ${countOf(count)}
    <button class="quiet up" data-key="earlier" title=${t("run_table.earlier")}
      aria-label=${`${t("run_table.earlier")}: ${title}`} ?disabled=${at === 0}
      @click=${() => move(-1)}>${ICONS.chevron}</button>
    <button class="quiet down" data-key="later" title=${t("run_table.later")}
      aria-label=${`${t("run_table.later")}: ${title}`} ?disabled=${at === shown.length - 1}
      @click=${() => move(1)}>${ICONS.chevron}</button>
  </li>`;
}

/** @param {string} key @param {string} title @param {boolean} checked @param {() => void} toggle @param {number} [count] */
export const choice = (key, title, checked, toggle, count) =>
  html`<li data-column-choice=${key}><label><input type="checkbox" .checked=${checked}
    @change=${toggle}><span>${title}</span></label>${countOf(count)}</li>`;

/** @param {number | undefined} count */
const countOf = (count) => (count === undefined ? nothing : html`<span class="meta">${grouped(count)}</span>`);

/** How many of a list are left out. @param {number} matches */
export const furtherMatches = (matches) =>
  matches > MAX_ROWS ? html`<p class="meta">${t("read.more", { n: grouped(matches - MAX_ROWS) })}</p>` : nothing;

/** Keys in the menu are not shortcuts of the page. @param {KeyboardEvent} event @param {string} key */
function onKey(event, key) {
  event.stopPropagation();
  if (event.key !== "Escape") return;
  openMenu.value = "";
  /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="${key}"]`))?.focus();
}
