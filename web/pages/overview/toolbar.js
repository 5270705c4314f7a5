// The toolbar of the overview: filters, grouping, columns, comparison.

import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { colourLegend } from "../../controls/run_set/colour_menu.js";
import { runSetBar } from "../../controls/run_set/run_set_bar.js";
import { countShown } from "../../controls/run_table/row_boxes.js";
import { searchField } from "../../controls/search/search_field.js";
import { areHiddenShown, hiddenRuns, showHidden } from "../../data/notes/notes.js";
import { compareRuns, MAX_UNASKED } from "../../data/runs/runs.js";
import { isShown, only } from "../../data/runs/selection.js";
import { change, selection } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { columnsButton } from "./column_menu.js";
import { keptRuns, rowCount } from "./rows.js";
import { clearFilters, filterRow, filters, openRun, showRun } from "./settings.js";
import { t } from "./words.js";

export const toolbar = () =>
  openRun.value
    ? runToolbar(openRun.value)
    : html`
  ${searchField("over-filter")}
  <span class="meta run-count" data-count=${keptRuns.value.length}>${t("top.runs_drawn", {
    shown: grouped(keptRuns.value.length),
    n: grouped(rowCount.value),
  })}</span>
  ${runSetBar("toolbar")}
  ${colourLegend()}
  <span class="space"></span>
  ${hiddenRunsSwitch()}
  <button class="plain" data-key="filter-row" aria-pressed=${filterRow.value || filters.value.size > 0}
    @click=${toggleFilters}>${ICONS.search}${t(
      "overview.filters",
    )}${filters.value.size ? html` <b>${filters.value.size}</b>` : nothing}</button>
  ${columnsButton()}
  <button class="plain primary" data-key="compare" ?disabled=${!countShown(keptRuns.value)}
    @click=${compare}>${compareLabel()}</button>`;

/** Of too many runs, the Compare page asks which. */
function compareLabel() {
  const n = countShown(keptRuns.value);
  return n > MAX_UNASKED ? t("overview.compare_some") : t("overview.compare", { n: grouped(n) });
}

/** Compares the visible runs of the table. */
export function compare() {
  const shown = keptRuns.peek().filter((run) => isShown(selection.peek(), run));
  compareRuns(shown.length > MAX_UNASKED ? [] : shown);
}

/** @param {string} run */
const runToolbar = (run) => html`
  <button class="text back" data-key="back" @click=${() => showRun("")}>‹ ${t("run.back")}</button>
  <span class="space"></span>
  <button class="plain" data-key="only-this"
    @click=${() => change({ selection: only(run) })}>${ICONS.only}${t("run.only_this")}</button>`;

/** Closing the filter row clears the filters: no filter may be active while hidden. */
function toggleFilters() {
  if (filterRow.peek() || filters.peek().size) {
    filterRow.value = false;
    clearFilters();
  } else filterRow.value = true;
}

/** Shown only if a run is hidden or archived. */
function hiddenRunsSwitch() {
  const count = hiddenRuns.value.size;
  return count
    ? html`<button class="plain" data-key="away" aria-pressed=${areHiddenShown.value}
      @click=${() => showHidden(!areHiddenShown.peek())}>${t("overview.away", { n: grouped(count) })}</button>`
    : nothing;
}
