// The choice of the runs to compare: asked if too many are visible, and whenever one wants to choose others.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { repeat } from "lit-html/directives/repeat.js";
import { runTitle } from "../../controls/card_parts.js";
import { labelChips } from "../../controls/label_chips.js";
import { searchField } from "../../controls/search/search_field.js";
import { noteOf } from "../../data/notes/notes.js";
import { baseline } from "../../data/runs/baseline.js";
import { runColumns } from "../../data/runs/run_columns.js";
import { metrics } from "../../data/runs/run_table.js";
import { comparedRuns, compareRuns, MAX_COMPARED, visibleRuns } from "../../data/runs/runs.js";
import { bestOf } from "../../data/series/best_values.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { t } from "./words.js";

/** Rows of the list; of more runs, one searches. */
const MAX_LISTED = 200;
/** Runs of a suggestion. */
const SUGGESTED = 5;

/** The runs that are ticked; null = the list is closed unless it must be asked. @type
 * {import("@preact/signals-core").Signal<ReadonlySet<string> | null>} */
const ticked = signal(null);

/** Is it asked which runs to compare? */
export const isAsking = () => ticked.value !== null || (!comparedRuns.value.length && visibleRuns.value.length > 0);

export const openPicker = () => void (ticked.value = new Set(comparedRuns.peek()));
export const closePicker = () => void (ticked.value = null);

/** The columns that suggestions need. @returns {import("../../data/runs/run_columns.js").Selected | null} */
export const neededValues = () =>
  isAsking()
    ? {
        fact: [],
        last: [],
        min: metrics.value.filter((tag) => bestOf(tag) === "min"),
        max: metrics.value.filter((tag) => bestOf(tag) === "max"),
        param: [],
      }
    : null;

export function picker() {
  const chosen = ticked.value ?? NONE;
  const runs = visibleRuns.value;
  const [metric] = metrics.value;
  return html`
    <section class="picker" data-state="choose_runs">
      <h2>${t("compare.ask", { n: grouped(MAX_COMPARED) })}</h2>
      <div class="picker-head">
        ${searchField("compare-filter")}
        ${metrics.value.map((tag) => suggestion(`best:${tag}`, t("compare.best_of", { n: SUGGESTED, tag }), () => bestRuns(tag), hasValues(tag)))}
        ${suggestion("newest", t("compare.newest", { n: SUGGESTED }), () => runs.slice(-SUGGESTED), true)}
        <span class="space"></span>
        ${
          comparedRuns.value.length
            ? html`<button type="button" class="plain" data-key="cancel" @click=${closePicker}>${t("compare.cancel")}</button>`
            : nothing
        }
        <button type="button" class="plain primary" data-key="compare-chosen"
          ?disabled=${chosen.size < 2 || chosen.size > MAX_COMPARED} @click=${() => finish([...chosen])}>${t(
            "compare.compare",
            { n: grouped(chosen.size) },
          )}</button>
      </div>
      <ul>${repeat(
        runs.slice(0, MAX_LISTED),
        (run) => run,
        (run) => pickerRow(run, chosen, metric),
      )}</ul>
      ${
        runs.length > MAX_LISTED
          ? html`<p class="meta">${t("compare.more_runs", { n: grouped(runs.length - MAX_LISTED) })}</p>`
          : nothing
      }
    </section>`;
}
/** @type {ReadonlySet<string>} */
const NONE = new Set();

/** @param {string} key @param {string} text @param {() => readonly string[]} runs @param {boolean} isReady */
const suggestion = (key, text, runs, isReady) => html`<button type="button" class="plain" data-suggestion=${key}
  ?disabled=${!isReady} @click=${() => finish(runs())}>${text}</button>`;

/** Has a visible run a value to be chosen by? None has one until the column is loaded. @param {string} tag */
function hasValues(tag) {
  const read = runColumns.of(bestOf(tag), tag);
  return visibleRuns.value.some((run) => Number.isFinite(read(run)));
}

/** The best visible runs by a metric, with the baseline. @param {string} tag */
function bestRuns(tag) {
  const goal = bestOf(tag);
  const read = runColumns.of(goal, tag);
  const valued = visibleRuns.peek().flatMap((run) => {
    const value = read(run);
    return typeof value === "number" && Number.isFinite(value) ? [{ run, value }] : [];
  });
  valued.sort((a, b) => (goal === "min" ? a.value - b.value : b.value - a.value));
  const names = [...(baseline.peek() ? [baseline.peek()] : []), ...valued.map(({ run }) => run)];
  return [...new Set(names)].slice(0, SUGGESTED);
}

/** @param {readonly string[]} names */
function finish(names) {
  closePicker();
  compareRuns(names);
}

/** @param {string} run @param {ReadonlySet<string>} chosen @param {string | undefined} metric */
function pickerRow(run, chosen, metric) {
  const value = metric === undefined ? null : runColumns.of(bestOf(metric), metric)(run);
  return html`<li data-run=${run}><label><input type="checkbox" .checked=${live(chosen.has(run))} @change=${() =>
    toggle(run)}>${runTitle(run)}
    ${labelChips(noteOf(run).labels)}
    ${typeof value === "number" ? html`<span class="meta" title=${metric ?? ""}>${shortNumber(value, 5)}</span>` : nothing}
  </label></li>`;
}

/** @param {string} run */
function toggle(run) {
  const runs = new Set(ticked.peek());
  if (!runs.delete(run)) runs.add(run);
  ticked.value = runs;
}
