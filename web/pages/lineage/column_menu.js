// Menus that select the columns of the table and the axes.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ICONS } from "../../controls/icons.js";
import { grouped } from "../../i18n/numbers.js";
import { choose, chosenAxes, chosenColumns } from "./settings.js";
import { axisIds, columnIds, columns, tableColumns } from "./state.js";
import { t } from "./words.js";

/** @typedef {"axes" | "columns"} Kind */

/** The largest number of columns in the menu; the others are found by search. */
const MAX_ROWS = 120;

/** The open menu. @type {import("@preact/signals-core").Signal<Kind | null>} */
const openMenu = signal(null);
const search = signal("");

/** Closes the menu on a press outside of it, until the returned function is called. */
export function followMenus() {
  const pressed = (/** @type {Event} */ { target }) => {
    if (!(target instanceof Element && target.closest(".lineage .menu-anchor"))) openMenu.value = null;
  };
  document.addEventListener("pointerdown", pressed);
  return () => {
    document.removeEventListener("pointerdown", pressed);
    openMenu.value = null;
  };
}

/** @param {Kind} kind */
export function columnMenu(kind) {
  const isOpen = openMenu.value === kind;
  const toggle = () => {
    search.value = "";
    openMenu.value = isOpen ? null : kind;
  };
  return html`<span class="menu-anchor">
    <button class="plain" data-key=${kind} aria-expanded=${isOpen} aria-haspopup="true"
      @click=${toggle}>${t(`lineage.${kind}`)}${ICONS.chevron}</button>
    ${isOpen ? menu(kind) : nothing}</span>`;
}

/** @param {Kind} kind */
function menu(kind) {
  const shown = kind === "axes" ? axisIds.value : columnIds.value;
  const all = [...(kind === "axes" ? columns : tableColumns).value.values()];
  const matches = all.filter(({ name }) => name.toLowerCase().includes(search.value.toLowerCase()));
  const isDefault = (kind === "axes" ? chosenAxes : chosenColumns).value === null;
  const shownIds = new Set(shown);
  const toggle = (/** @type {string} */ id) =>
    choose(kind, shownIds.has(id) ? shown.filter((other) => other !== id) : [...shown, id]);
  const groups = Map.groupBy(matches.slice(0, MAX_ROWS), groupOf);
  return html`
    <div class="menu" role="group" aria-label=${t(`lineage.${kind}`)}
      @keydown=${(/** @type {KeyboardEvent} */ event) => onKeyDown(event, kind)}>
      <div class="menu-head">
        <input class="plain" type="text" spellcheck="false" placeholder=${t("overview.find")}
          aria-label=${t("overview.find")} .value=${search.value}
          @input=${(/** @type {InputEvent} */ event) =>
            (search.value = /** @type {HTMLInputElement} */ (event.target).value)}>
        <button class="text" data-key="reset" ?disabled=${isDefault}
          @click=${() => choose(kind, null)}>${t("overview.usual")}</button>
      </div>
      <p class="menu-all"><button class="text" data-key="all"
        @click=${() =>
          choose(kind, [
            ...new Set([...shown, ...matches.map(({ id }) => id)]),
          ])}>${t("lineage.select_all", { n: grouped(matches.length) })}</button>
        <button class="text" data-key="none" @click=${() =>
          choose(
            kind,
            shown.filter((id) => !matches.some((column) => column.id === id)),
          )}>${t("lineage.select_none")}</button></p>
      ${repeat(
        groups,
        ([group]) => group,
        ([group, members]) => html`<h2>${t(`lineage.group_${group}`)}</h2>
        <ul>${repeat(
          members,
          ({ id }) => id,
          ({ id, name, distinct }) =>
            html`<li data-choice=${id}><label><input type="checkbox" .checked=${shownIds.has(id)}
              @change=${() => toggle(id)}><span>${name}</span></label><span
              class="meta">${grouped(distinct)}</span></li>`,
        )}</ul>`,
      )}
      ${
        matches.length > MAX_ROWS
          ? html`<p class="meta">${t("read.more", { n: grouped(matches.length - MAX_ROWS) })}</p>`
          : nothing
      }
    </div>`;
}

/** @param {import("../../controls/run_plots/columns.js").Column} column */
export const groupOf = ({ id, section }) => (id.startsWith("note:") ? "note" : section);

/** Keeps keys from the page's shortcuts; Escape closes the menu. @param {KeyboardEvent} event @param {Kind} kind */
function onKeyDown(event, kind) {
  event.stopPropagation();
  if (event.key !== "Escape") return;
  openMenu.value = null;
  /** @type {HTMLElement | null} */ (document.querySelector(`.lineage [data-key="${kind}"]`))?.focus();
}
