// A row of the run list: state, visibility, line style, name, last value.

import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { DASHES } from "../data/colours/run_styles.js";
import { noteOf } from "../data/notes/notes.js";
import { baseline, setBaseline } from "../data/runs/baseline.js";
import { marked } from "../data/runs/marked_runs.js";
import { stateOf } from "../data/runs/run_state.js";
import { styles } from "../data/runs/runs.js";
import { isShown, only, toggled } from "../data/runs/selection.js";
import { pageOf } from "../data/view/page_list.js";
import { cursorRun, hoveredRun, panel } from "../data/view/pointer.js";
import { change, selection } from "../data/view/view.js";
import { t } from "../i18n/words.js";
import { alertMark, alertsHint } from "./alert_mark.js";
import { ICONS, swatch } from "./icons.js";
import { labelChips } from "./label_chips.js";
import { pluginCounts } from "./plugin_counts.js";
import { nameOf, nameParts, roomInList } from "./run_name.js";
import { baselineMark } from "./run_table/name_cell.js";
import { stateHint, stateMark, stateSentence } from "./state_mark.js";

/** @typedef {import("../data/client/api_types.js").RunRow} RunRow */

/** Must be equal to the height in rail.css. */
export const ROW = 28;

/** Values of the runs: `width` in digits.
 * @typedef {import("../data/runs/rail_values.js").RailValue &
 * {textOf: (value: import("../data/text/value_filter.js").Value) => string, width: number}} ValueColumn */

/** Where a row is, and how it is shown.
 * @typedef {object} RowPlace
 * @property {number} place
 * @property {number} count of all rows
 * @property {readonly ValueColumn[]} columns
 * @property {import("../data/colours/run_styles.js").LineStyle | null} groupStyle of its group; null = it is in none
 * @property {(run: string, event: {shiftKey: boolean}) => void} mark
 */

/** Labels of a row; further ones are in its title. */
const MAX_LABELS = 1;

/** @param {RunRow} row @param {RowPlace} at */
export function runRow(row, { place, count, columns, groupStyle, mark }) {
  const { run, parent } = row;
  const state = stateOf(row);
  const shown = isShown(selection.value, run);
  const style = groupStyle ?? styles.value.get(run) ?? { colour: 0, dash: 0 };
  return html`
    <li class="run ${shown ? "" : "off"} ${parent !== null || groupStyle ? "child" : ""} ${cursorRun.value === run ? "cursor" : ""}
      ${marked.value.has(run) ? "marked" : ""}"
      style="top:${place * ROW}px" data-run=${run} data-shown=${shown} aria-setsize=${count} aria-posinset=${place + 1}
      @mouseenter=${() => (hoveredRun.value = shown ? run : null)} title=${hint(row)}>
      <input type="checkbox" class="mark-box" tabindex="-1" .checked=${live(marked.value.has(run))}
        aria-label=${t("rail.mark_run", { run: nameOf(run) })}
        @click=${(/** @type {MouseEvent} */ event) => mark(run, event)}>
      <button class="run-toggle" role="switch" aria-checked=${shown} aria-label=${t("rail.draw", { run: nameOf(run) })}
        @click=${(/** @type {MouseEvent} */ event) => clicked(run, event, mark)} @dblclick=${() =>
          change({ selection: only(run) })}>
        ${shown ? ICONS.eye : ICONS.hidden}${swatch(style, DASHES[style.dash])}
        <span class="run-name">${nameParts(run, roomInList.value)}</span>
        ${baselineMark(run)}
        ${labelChips(noteOf(run).labels.slice(0, MAX_LABELS))}
        ${
          row.damaged_records
            ? html`<span class="damaged" role="img"
              aria-label=${t("rail.damaged", { n: row.damaged_records })}>${ICONS.warning}</span>`
            : nothing
        }
        ${
          row.stale
            ? html`<span class="damaged stale" role="img"
              aria-label=${t("rail.stale", { reason: row.stale })}>${ICONS.warning}</span>`
            : nothing
        }
        ${alertMark(run)}
        ${columns.map((column) => valueCell(run, column))}
      </button>
      ${state === "unknown" ? nothing : stateMark(state, stateSentence(row))}
      <span class="run-actions">
        <button class="quiet" title=${t("rail.only")} aria-label=${t("rail.only")} data-key="only"
          @click=${() => change({ selection: only(run) })}>${ICONS.only}</button>
        <button class="quiet" title=${t("rail.set_baseline")} aria-label=${t("rail.set_baseline")} data-key="baseline"
          aria-pressed=${baseline.value === run}
          @click=${() => setBaseline(baseline.peek() === run ? "" : run)}>${ICONS.baseline}</button>
        <button class="quiet" title=${t("rail.details")} aria-label=${t("rail.details")} data-key="details"
          @click=${() => (panel.value = { kind: "run", run })}>${ICONS.details}</button>
      </span>
    </li>`;
}

/** With the shift, control or command key, a click marks. @param {string} run @param {MouseEvent} event
 * @param {RowPlace["mark"]} mark */
function clicked(run, event, mark) {
  if (event.shiftKey || event.ctrlKey || event.metaKey) mark(run, event);
  else change({ selection: toggled(selection.peek(), run) });
}

/** @param {string} run @param {ValueColumn} column */
function valueCell(run, { read, textOf, width }) {
  const value = read(run);
  const isNonFinite = typeof value === "number" && !Number.isFinite(value);
  return html`<span class="last ${isNonFinite ? "non-finite" : ""}" style="min-width:${width}ch">${textOf(value)}</span>`;
}

/** Plugins that have a section of the page of a run. */
const OF_RUN = ["console", "environment", "code", "alert", "lineage", "hparams"];

/** Is nothing of such series shown? @param {string} plugin */
export const isUnsupported = (plugin) => !pageOf(plugin) && !OF_RUN.includes(plugin);

/** @param {RunRow} row */
function hint(row) {
  const note = noteOf(row.run);
  const lines = [nameOf(row.run)];
  if (note.alias || row.session_name) lines.push(row.run);
  lines.push(stateHint(row));
  if (alertsHint(row.run)) lines.push(alertsHint(row.run));
  if (baseline.value === row.run) lines.push(t("rail.baseline"));
  if (note.labels.length) lines.push(note.labels.join(", "));
  if (note.hidden) lines.push(t("notes.is_hidden"));
  if (note.archived) lines.push(t("notes.is_archived"));
  const unsupported = pluginCounts(row, isUnsupported);
  if (unsupported) lines.push(t("panel.also", { found: unsupported }));
  if (row.damaged_records) lines.push(t("rail.damaged", { n: row.damaged_records }));
  if (row.stale) lines.push(t("rail.stale", { reason: row.stale }));
  return lines.join("\n");
}
