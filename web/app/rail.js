// The run list: a filter, and one row per run. Only the visible rows exist.

import { computed, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ROW, runRow } from "../controls/run_row.js";
import { searchField } from "../controls/search/search_field.js";
import { runs, runsByName } from "../data/catalogue.js";
import { lastValues } from "../data/last_values.js";
import { areHiddenShown, excludedRuns, showHidden } from "../data/notes.js";
import { cursorRun, hoveredRun } from "../data/pointer.js";
import { focusTag, listedRuns } from "../data/runs.js";
import { EVERYTHING, NOTHING } from "../data/selection.js";
import { change, railShown } from "../data/view.js";
import { columnFormat, grouped } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";

/** Rows beyond the visible ones, above and below. */
const SPARE = 8;

const scrolled = signal(0);
const listHeight = signal(800);

/** Names of the runs in the list: hidden and archived ones only if they are shown. */
const railRuns = computed(() => {
  const excluded = excludedRuns.value;
  return excluded.size ? listedRuns.value.filter((run) => !excluded.has(run)) : listedRuns.value;
});

/** The first of the existing rows. */
const firstRow = computed(() => Math.max(0, Math.floor(scrolled.value / ROW) - SPARE));
const existingRows = computed(() => {
  const first = Math.min(firstRow.value, railRuns.value.length);
  const names = railRuns.value.slice(first, first + Math.ceil(listHeight.value / ROW) + 2 * SPARE);
  return names.flatMap((run) => runsByName.value.get(run) ?? []);
});

/** The runs of the existing rows while the list is shown. */
export const runsInRail = () => (railShown.value ? existingRows.value.map((row) => row.run) : []);

export function rail() {
  const count = railRuns.value.length;
  const format = columnFormat(existingRows.value.map((row) => lastValues.value.get(row.run) ?? NaN));
  return html`
    <div class="rail-head">
      ${searchField("run-filter")}
      <div class="rail-actions" ?hidden=${!runs.value.length}>
        <span class="pair">
          <button class="text" data-key="all"
            @click=${() => change({ selection: EVERYTHING })}>${t("rail.all")}</button>
          <button class="text" data-key="none" @click=${() => change({ selection: NOTHING })}>${t("rail.none")}</button>
        </span>
        ${
          focusTag.value
            ? html`<span class="focus-tag" title=${t("rail.last_of", { tag: focusTag.value })}>${focusTag.value}</span>`
            : nothing
        }
      </div>
    </div>
    <div class="run-list" @scroll=${onScroll} @mouseleave=${() => (hoveredRun.value = null)}>
      ${
        count === 0 && runs.value.length
          ? html`<p class="hint">${t(listedRuns.value.length ? "rail.all_away" : "rail.no_match")}</p>`
          : nothing
      }
      <ul aria-label=${t("rail.title")} style="height:${count * ROW}px">
        ${repeat(
          existingRows.value,
          (row) => row.run,
          (row, index) => runRow(row, firstRow.value + index, count, format),
        )}
      </ul>
    </div>
    ${areHiddenShown.value || excludedRuns.value.size ? hiddenRunsNote() : nothing}`;
}

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

/** Moves the keyboard selection in the list and scrolls to it.
 * @param {number} by */
export function moveCursor(by) {
  const names = railRuns.peek();
  const at = names.indexOf(cursorRun.peek() ?? "");
  const next = Math.min(names.length - 1, Math.max(0, at + by));
  if (next < 0) return;
  cursorRun.value = hoveredRun.value = names[next];
  const list = document.querySelector(".run-list");
  if (!list) return;
  const top = next * ROW;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
}
