// The column menu: which metrics, which columns, in which order.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ICONS } from "../../controls/icons.js";
import { scalarTags } from "../../data/runs/catalogue.js";
import { metrics } from "../../data/runs/run_table.js";
import { grouped } from "../../i18n/numbers.js";
import { allColumns, metricColumnIds, shownIds } from "./columns.js";
import { chooseColumns, chosenColumns, resetColumns, toggleMetric } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./columns.js").Column} Column */

/** Longer lists are truncated and must be searched. */
const MAX_ROWS = 60;

/** Is the menu open? */
export const isMenuOpen = signal(false);
const search = signal("");

/** Closes the menu on a press outside it, until the returned function is called. */
export function followMenu() {
  const pressed = (/** @type {Event} */ { target }) => {
    if (!(target instanceof Element && target.closest(".menu-anchor"))) isMenuOpen.value = false;
  };
  document.addEventListener("pointerdown", pressed);
  return () => {
    document.removeEventListener("pointerdown", pressed);
    isMenuOpen.value = false;
  };
}

/** @param {string} name */
const matchesSearch = (name) => name.toLowerCase().includes(search.value.toLowerCase());

export function columnMenu() {
  const shown = shownIds.value;
  const hidden = [...allColumns.value.values()].filter(({ id }) => !shown.includes(id));
  const tags = (scalarTags.value ?? []).filter(matchesSearch);
  return html`
    <div class="menu" role="group" aria-label=${t("overview.columns")} @keydown=${onKey}>
      <div class="menu-head">
        <input class="plain" type="text" spellcheck="false" placeholder=${t("overview.find")}
          aria-label=${t("overview.find")} data-key="find-column" .value=${search.value}
          @input=${(/** @type {InputEvent} */ event) =>
            (search.value = /** @type {HTMLInputElement} */ (event.target).value)}>
        <button class="text" data-key="usual-columns" ?disabled=${!chosenColumns.value}
          @click=${resetColumns}>${t("overview.usual")}</button>
      </div>
      <h2>${t("overview.shown_columns")}</h2>
      <ol>${repeat(
        shown,
        (id) => id,
        (id, at) => shownColumn(/** @type {Column} */ (allColumns.value.get(id)), at, shown),
      )}</ol>
      ${
        hidden.some((column) => matchesSearch(titleOf(column)))
          ? html`<h2>${t("overview.other_columns")}</h2>
        <ul>${repeat(
          hidden.filter((column) => matchesSearch(titleOf(column))).slice(0, MAX_ROWS),
          ({ id }) => id,
          (column) => check(column.id, titleOf(column), false, () => chooseColumns([...shown, column.id])),
        )}</ul>`
          : nothing
      }
      ${
        tags.length
          ? html`<h2>${t("overview.metrics")}</h2>
        <ul>${repeat(
          tags.slice(0, MAX_ROWS),
          (tag) => tag,
          (tag) =>
            check(`metric:${tag}`, tag, metrics.value.includes(tag), () => toggleMetric(tag, metricColumnIds(tag))),
        )}</ul>
        ${
          tags.length > MAX_ROWS
            ? html`<p class="meta">${t("read.more", { n: grouped(tags.length - MAX_ROWS) })}</p>`
            : nothing
        }`
          : nothing
      }
    </div>`;
}

/** @param {Column} column */
const titleOf = ({ metric, label }) => (metric ? `${metric} · ${label}` : label);

/** @param {Column} column @param {number} at @param {string[]} shown */
function shownColumn(column, at, shown) {
  const title = titleOf(column);
  if (!matchesSearch(title)) return nothing;
  const move = (/** @type {number} */ by) => {
    const others = shown.filter((id) => id !== column.id);
    chooseColumns([...others.slice(0, at + by), column.id, ...others.slice(at + by)]);
  };
  return html`<li data-shown-column=${column.id}>
    <label><input type="checkbox" .checked=${true}
      @change=${() => chooseColumns(shown.filter((id) => id !== column.id))}><span>${title}</span></label>
    <button class="quiet up" data-key="earlier" title=${t("overview.earlier")}
      aria-label=${`${t("overview.earlier")}: ${title}`} ?disabled=${at === 0}
      @click=${() => move(-1)}>${ICONS.chevron}</button>
    <button class="quiet down" data-key="later" title=${t("overview.later")}
      aria-label=${`${t("overview.later")}: ${title}`} ?disabled=${at === shown.length - 1}
      @click=${() => move(1)}>${ICONS.chevron}</button>
  </li>`;
}

/** @param {string} key @param {string} title @param {boolean} checked @param {() => void} toggle */
const check = (key, title, checked, toggle) =>
  html`<li data-column-choice=${key}><label><input type="checkbox" .checked=${checked}
    @change=${toggle}><span>${title}</span></label></li>`;

/** Keys in the menu are not shortcuts of the page. @param {KeyboardEvent} event */
function onKey(event) {
  event.stopPropagation();
  if (event.key !== "Escape") return;
  isMenuOpen.value = false;
  /** @type {HTMLElement | null} */ (document.querySelector('[data-key="columns"]'))?.focus();
}
