// The settings of the overview: which runs, grouped by what, which columns; and the way to the comparison.

import { computed } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { filterField } from "../../controls/filter_field.js";
import { ICONS } from "../../controls/icons.js";
import { isAwayShown, putAwayRuns, showAway } from "../../data/notes.js";
import { chosenRuns, runRule } from "../../data/runs.js";
import { only } from "../../data/selection.js";
import { change, runFilter } from "../../data/view.js";
import { grouped } from "../../i18n/numbers.js";
import { columnMenu, isMenuOpen } from "./column_menu.js";
import { parameters } from "./columns.js";
import { groupingError, keptRows, rowCount } from "./rows.js";
import { clearFilters, filterRow, filters, groupBy, grouping, openRun, showRun } from "./settings.js";
import { t } from "./words.js";

export const toolbar = () =>
  openRun.value
    ? runToolbar(openRun.value)
    : html`
  ${filterField({ id: "over-filter", label: t("rail.filter"), pattern: runFilter.value, rule: runRule.value, changed: (runs) => change({ runs }) })}
  <span class="meta run-count" data-count=${keptRows.value.length}>${t("top.runs_drawn", { shown: grouped(keptRows.value.length), n: grouped(rowCount.value) })}</span>
  <span class="space"></span>
  ${awaySwitch()}
  ${grouper()}
  <button class="plain" data-key="filter-row" aria-pressed=${filterRow.value || filters.value.size > 0} @click=${toggleFilters}>${ICONS.search}${t("overview.filters")}${filters.value.size ? html` <b>${filters.value.size}</b>` : nothing}</button>
  <span class="menu-anchor">
    <button class="plain" data-key="columns" aria-expanded=${isMenuOpen.value} aria-haspopup="true" @click=${() => (isMenuOpen.value = !isMenuOpen.value)}>${t("overview.columns")}${ICONS.chevron}</button>
    ${isMenuOpen.value ? columnMenu() : nothing}
  </span>
  <button class="plain primary" data-key="compare" ?disabled=${!chosenRows.value.length} @click=${compare}>${t("overview.compare", { n: grouped(chosenRows.value.length) })}</button>`;

/** The rows of the table that are switched on: filters of values choose too. */
const chosenRows = computed(() => {
  const chosen = new Set(chosenRuns.value);
  return keptRows.value.filter(({ run }) => chosen.has(run));
});

export function compare() {
  const names = chosenRows.peek().map(({ run }) => run);
  const isPart = filters.peek().size > 0 && names.length < chosenRuns.peek().length;
  change({
    page: "compare",
    ...(isPart && { selection: { mode: /** @type {const} */ ("show"), runs: new Set(names) } }),
  });
}

/** @param {string} run */
const runToolbar = (run) => html`
  <button class="text back" data-key="back" @click=${() => showRun("")}>‹ ${t("run.back")}</button>
  <span class="space"></span>
  <button class="plain" data-key="only-this" @click=${() => change({ selection: only(run) })}>${ICONS.only}${t("run.only_this")}</button>`;

/** Closing the row of fields takes the filters with it: none may work unseen. */
function toggleFilters() {
  if (filterRow.peek() || filters.peek().size) {
    filterRow.value = false;
    clearFilters();
  } else filterRow.value = true;
}

/** Only where some run is hidden or archived. */
function awaySwitch() {
  const away = putAwayRuns.value.size;
  return away
    ? html`<button class="plain" data-key="away" aria-pressed=${isAwayShown.value} @click=${() => showAway(!isAwayShown.peek())}>${t("overview.away", { n: away })}</button>`
    : nothing;
}

function grouper() {
  const by = grouping.value;
  const isRegex = by.startsWith("regex:");
  const option = (/** @type {string} */ value, /** @type {string} */ text) =>
    html`<option value=${value} .selected=${value === (isRegex ? "regex:" : by)}>${text}</option>`;
  return html`
    <label class="grouper"><span>${t("overview.group_by")}</span>
      <select data-key="group" @change=${(/** @type {Event} */ event) => groupBy(/** @type {HTMLSelectElement} */ (event.target).value)}>
        ${option("", t("overview.group_nothing"))}${option("state", t("overview.col_state"))}${option("regex:", t("overview.group_regex"))}
        <optgroup label=${t("overview.parameters")}>${[...parameters.value.keys()].map((name) => option(`param:${name}`, name))}</optgroup>
      </select>
      ${
        isRegex
          ? html`<input type="text" spellcheck="false" class="plain" data-key="group-regex" placeholder="(adam|sgd)" aria-label=${t("overview.group_regex")} .value=${by.slice(6)}
        aria-invalid=${groupingError.value !== null} title=${groupingError.value ?? t("overview.group_regex_hint")}
        @input=${(/** @type {InputEvent} */ event) => groupBy(`regex:${/** @type {HTMLInputElement} */ (event.target).value}`)}>`
          : nothing
      }
    </label>`;
}
