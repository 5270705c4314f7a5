// The run list: the search, and one row per run, or per group of runs while runs are grouped. Only the visible rows
// exist.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ROW, runRow } from "../controls/run_row.js";
import { colourLegend, valueText } from "../controls/run_set/colour_menu.js";
import { runSetBar } from "../controls/run_set/run_set_bar.js";
import { searchField } from "../controls/search/search_field.js";
import { areHiddenShown, excludedRuns, showHidden } from "../data/notes/notes.js";
import { runs, runsByName } from "../data/runs/catalogue.js";
import { isMarking, marked, markRange, toggleMark, unmarkAll } from "../data/runs/marked_runs.js";
import { railValues } from "../data/runs/rail_values.js";
import { searchNamesHidden } from "../data/runs/run_search.js";
import { sortedRuns, sorting } from "../data/runs/run_sort.js";
import { valueNamed } from "../data/runs/run_values.js";
import { listedRuns, matchingRuns } from "../data/runs/runs.js";
import { EVERYTHING, NOTHING } from "../data/runs/selection.js";
import { cutGroup } from "../data/tags/names.js";
import { cursorRun, hoveredRun, pointedRun } from "../data/view/pointer.js";
import { change, railShown } from "../data/view/view.js";
import { columnFormat, grouped, inColumn, plainText } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";
import { groupRow, railGroups } from "./rail_groups.js";
import { railHandle } from "./rail_width.js";

/** @typedef {import("./rail_groups.js").RailGroup} RailGroup */
/** @typedef {import("../data/colours/run_styles.js").LineStyle} LineStyle */
/** @typedef {{run: string, style: LineStyle | null, group?: undefined} | {group: RailGroup, run?: undefined}} Line */

/** Rows beyond the visible ones, above and below. */
const SPARE = 8;

const scrolled = signal(0);
const listHeight = signal(800);

/** Names of the runs in the list: hidden and archived ones only if they are shown. */
export const railRuns = computed(() => {
  const excluded = excludedRuns.value;
  const all = sorting.value.length ? sortedRuns(matchingRuns.value) : listedRuns.value;
  return excluded.size ? all.filter((run) => !excluded.has(run)) : all;
});

/** The rows: runs, or groups each followed by its runs if it is open. */
const lines = computed(() => {
  const groups = railGroups(railRuns.value);
  /** @type {Line[]} */
  const all = [];
  if (!groups) for (const run of railRuns.value) all.push({ run, style: null });
  for (const group of groups ?? []) {
    all.push({ group });
    if (group.isOpen) for (const run of group.runs) all.push({ run, style: group.style });
  }
  return all;
});

/** The first of the existing rows. */
const firstRow = computed(() => Math.max(0, Math.floor(scrolled.value / ROW) - SPARE));
const existingLines = computed(() => {
  const first = Math.min(firstRow.value, lines.value.length);
  return lines.value.slice(first, first + Math.ceil(listHeight.value / ROW) + 2 * SPARE);
});

/** The runs of the existing rows while the list is shown. */
export const runsInRail = () =>
  railShown.value ? existingLines.value.flatMap(({ run }) => (run === undefined ? [] : [run])) : [];

/** The values of the existing rows: each column has one format, and the width of its widest value. */
function valueColumns() {
  const names = existingLines.value.flatMap(({ run }) => (run === undefined ? [] : [run]));
  return railValues.value.map(({ id, read }) => {
    const values = names.map(read);
    const format = columnFormat(values.flatMap((value) => (typeof value === "number" ? [value] : [])));
    const isResult = valueNamed(id)?.kind !== "param";
    const textOf = (/** @type {import("../data/text/value_filter.js").Value} */ value) =>
      value === null ? "" : typeof value === "number" && isResult ? inColumn(value, format) : plainText(value);
    const width = Math.min(MAX_LETTERS, Math.max(FEWEST_LETTERS, ...values.map((value) => textOf(value).length)));
    return { id, read, textOf, width };
  });
}
/** Of a column of values. */
const [FEWEST_LETTERS, MAX_LETTERS] = [5, 12];

export function rail() {
  const count = lines.value.length;
  const columns = valueColumns();
  const areMarksShown = isMarking.value || marked.value.size > 0;
  return html`
    <div class="rail-head">
      ${searchField("run-filter")}
      ${runSetBar("rail")}
      ${colourLegend()}
      <div class="rail-actions" ?hidden=${!runs.value.length}>
        <span class="pair">
          <button class="text" data-key="all"
            @click=${() => change({ selection: EVERYTHING })}>${t("rail.all")}</button>
          <button class="text" data-key="none" @click=${() => change({ selection: NOTHING })}>${t("rail.none")}</button>
          <button class="text" data-key="mark" aria-pressed=${areMarksShown} title=${t("rail.mark_hint")}
            @click=${() => (areMarksShown ? unmarkAll() : (isMarking.value = true))}>${t("rail.mark")}</button>
        </span>
        <span class="value-heads">${columns.map(
          ({ id, width }) => html`<span class="focus-tag" title=${valueText(id)}
            style=${columns.length > 1 ? `width:calc(${width}ch * 12 / 11)` : ""}>${valueName(id, columns.length > 1)}</span>`,
        )}</span>
      </div>
    </div>
    <div class="run-list ${areMarksShown ? "marking" : ""}" @scroll=${onScroll}
      @mouseleave=${() => (hoveredRun.value = null)}>
      ${
        count === 0 && runs.value.length
          ? html`<p class="hint">${t(listedRuns.value.length ? "rail.all_away" : "rail.no_match")}</p>`
          : nothing
      }
      <ul aria-label=${t("rail.title")} style="height:${count * ROW}px">
        ${repeat(existingLines.value, keyOf, (line, index) => lineRow(line, firstRow.value + index, count, columns))}
      </ul>
    </div>
    ${!searchNamesHidden.value && (areHiddenShown.value || excludedRuns.value.size) ? hiddenRunsNote() : nothing}
    ${railHandle()}`;
}

/** @param {import("../data/runs/run_values.js").ValueId} id @param {boolean} isShort */
function valueName(id, isShort) {
  const name = valueNamed(id)?.name ?? id;
  return isShort ? cutGroup(name)[1] : name;
}

/** A run may be in several groups. @param {Line} line @param {number} index */
const keyOf = (line, index) => (line.group ? `/${line.group.name}` : line.style ? `${index}/${line.run}` : line.run);

/** @param {Line} line @param {number} place @param {number} count
 * @param {import("../controls/run_row.js").ValueColumn[]} columns */
function lineRow(line, place, count, columns) {
  if (line.group) return groupRow(line.group, place, count);
  const row = runsByName.value.get(line.run);
  return row ? runRow(row, { place, count, columns, groupStyle: line.style, mark: markRun }) : nothing;
}

/** A click with the shift key marks a range. @param {string} run @param {{shiftKey: boolean}} event */
const markRun = (run, { shiftKey }) => (shiftKey ? markRange(railRuns.peek(), run) : toggleMark(run));

/** The number of hidden runs, with a button to show them. */
const hiddenRunsNote =
  () => html`<p class="away-note">${areHiddenShown.value ? nothing : t("rail.away", { n: grouped(excludedRuns.value.size) })}
  <button class="text" data-key="away" @click=${() => showHidden(!areHiddenShown.peek())}>${t(
    areHiddenShown.value ? "rail.away_hide" : "rail.away_show",
  )}</button></p>`;

/** @param {Event} event */
function onScroll(event) {
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  scrolled.value = list.scrollTop;
  listHeight.value = list.clientHeight;
}

/** Follows the height of the list.
 * @param {HTMLElement} element the rail */
export const followRailHeight = (element) =>
  new ResizeObserver(() => {
    const list = element.querySelector(".run-list");
    if (list?.clientHeight) listHeight.value = list.clientHeight;
  }).observe(element);

/** Highlights the row of the run whose line is under the cursor, without rendering the list again.
 * @param {HTMLElement} element the rail */
export const followPointedRun = (element) =>
  effect(() => {
    const run = pointedRun.value;
    for (const row of element.querySelectorAll(".run[data-pointed]")) row.removeAttribute("data-pointed");
    if (run === null) return;
    const rows = element.querySelectorAll(
      `.run:is([data-run="${CSS.escape(run)}"], [data-rail-group="${CSS.escape(run)}"])`,
    );
    for (const row of rows) /** @type {HTMLElement} */ (row).dataset.pointed = "";
  });

/** Moves the keyboard selection in the list and scrolls to it.
 * @param {number} by */
export function moveCursor(by) {
  const names = lines.peek().flatMap(({ run }) => (run === undefined ? [] : [run]));
  const at = names.indexOf(cursorRun.peek() ?? "");
  const next = names[Math.min(names.length - 1, Math.max(0, at + by))];
  if (next === undefined) return;
  cursorRun.value = hoveredRun.value = next;
  const list = document.querySelector(".run-list");
  if (!list) return;
  const top = lines.peek().findIndex(({ run }) => run === next) * ROW;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
}
