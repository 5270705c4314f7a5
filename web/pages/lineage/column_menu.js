// The lists of columns: which are axes, which stand in the table.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ICONS } from "../../controls/icons.js";
import { grouped } from "../../i18n/numbers.js";
import { axisIds, columnIds, columns, tableColumns } from "./rows.js";
import { choose, chosenAxes, chosenColumns } from "./settings.js";
import { t } from "./words.js";

/** @typedef {"axes" | "columns"} Kind */

/** A list longer than this is searched, not read. */
const MOST_ROWS = 120;

/** The list that is open. @type {import("@preact/signals-core").Signal<Kind | null>} */
const openMenu = signal(null);
const search = signal("");

/** Closes the list when something outside it is pressed, until the returned function is called. */
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
  const turn = () => {
    search.value = "";
    openMenu.value = isOpen ? null : kind;
  };
  return html`<span class="menu-anchor">
    <button class="plain" data-key=${kind} aria-expanded=${isOpen} aria-haspopup="true" @click=${turn}>${t(`lineage.${kind}`)}${ICONS.chevron}</button>
    ${isOpen ? menu(kind) : nothing}</span>`;
}

/** @param {Kind} kind */
function menu(kind) {
  const shown = kind === "axes" ? axisIds.value : columnIds.value;
  const all = [...(kind === "axes" ? columns : tableColumns).value.values()];
  const found = all.filter(({ name }) => name.toLowerCase().includes(search.value.toLowerCase()));
  const isUsual = (kind === "axes" ? chosenAxes : chosenColumns).value === null;
  const inShown = new Set(shown);
  const turn = (/** @type {string} */ id) =>
    choose(kind, inShown.has(id) ? shown.filter((one) => one !== id) : [...shown, id]);
  const groups = Map.groupBy(found.slice(0, MOST_ROWS), groupOf);
  return html`
    <div class="menu" role="group" aria-label=${t(`lineage.${kind}`)} @keydown=${(/** @type {KeyboardEvent} */ event) => keptKeys(event, kind)}>
      <div class="menu-head">
        <input class="plain" type="text" spellcheck="false" placeholder=${t("overview.find")} aria-label=${t("overview.find")} .value=${search.value}
          @input=${(/** @type {InputEvent} */ event) => (search.value = /** @type {HTMLInputElement} */ (event.target).value)}>
        <button class="text" data-key="usual" ?disabled=${isUsual} @click=${() => choose(kind, null)}>${t("overview.usual")}</button>
      </div>
      <p class="menu-all"><button class="text" data-key="all" @click=${() => choose(kind, [...new Set([...shown, ...found.map(({ id }) => id)])])}>${t("lineage.choose_all", { n: grouped(found.length) })}</button>
        <button class="text" data-key="none" @click=${() =>
          choose(
            kind,
            shown.filter((id) => !found.some((column) => column.id === id)),
          )}>${t("lineage.choose_none")}</button></p>
      ${repeat(
        groups,
        ([group]) => group,
        ([group, members]) => html`<h3>${t(`lineage.group_${group}`)}</h3>
        <ul>${repeat(
          members,
          ({ id }) => id,
          ({ id, name, distinct }) =>
            html`<li data-choice=${id}><label><input type="checkbox" .checked=${inShown.has(id)} @change=${() => turn(id)}><span>${name}</span></label><span class="meta">${grouped(distinct)}</span></li>`,
        )}</ul>`,
      )}
      ${found.length > MOST_ROWS ? html`<p class="meta">${t("read.more", { n: found.length - MOST_ROWS })}</p>` : nothing}
    </div>`;
}

/** @param {import("./model/columns.js").Column} column */
export const groupOf = ({ id, section }) => (id.startsWith("note:") ? "note" : section);

/** What is typed here is for the list, not for the page. @param {KeyboardEvent} event @param {Kind} kind */
function keptKeys(event, kind) {
  event.stopPropagation();
  if (event.key !== "Escape") return;
  openMenu.value = null;
  /** @type {HTMLElement | null} */ (document.querySelector(`.lineage [data-key="${kind}"]`))?.focus();
}
