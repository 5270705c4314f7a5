// The runs as a list of cards, where a table has no room: state, name, and two metrics with their sparklines.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { groupToggle } from "../../controls/run_table/lines.js";
import { markBox, showSwitch } from "../../controls/run_table/row_boxes.js";
import { stateMark, stateSentence } from "../../controls/state_mark.js";
import { marked } from "../../data/runs/marked_runs.js";
import { stateOf } from "../../data/runs/run_state.js";
import { metrics } from "../../data/runs/run_table.js";
import { isShown } from "../../data/runs/selection.js";
import { selection } from "../../data/view/view.js";
import { CELLS } from "./cells.js";
import { metricColumns } from "./columns.js";
import { t } from "./words.js";

/** @typedef {import("./rows.js").Line} Line */
/** @typedef {import("./row.js").Row} Row */

/** Must be equal to the height in style.css. */
export const CARD = 92;
const MAX_METRICS = 2;

/** @param {readonly Line[]} lines @param {import("../../controls/run_table/table_window.js").TableWindow} window
 * @param {() => readonly string[]} listedRuns @param {(row: Row) => unknown} name draws the name of a run */
export function runCards(lines, window, listedRuns, name) {
  const [first, end] = window.lines(lines.length);
  return html`
  <ul class="run-cards" aria-label=${t("overview.table")} style="height:${lines.length * CARD}px">${repeat(
    lines.slice(first, end),
    (line) => ("run" in line ? line.run : `/${line.group.key}`),
    (line, at) => html`<li style="top:${(first + at) * CARD}px" aria-setsize=${lines.length}
      aria-posinset=${first + at + 1}>${"run" in line ? card(line.row, listedRuns, name) : groupToggle(line.group)}</li>`,
  )}</ul>`;
}

/** @param {Row} row @param {() => readonly string[]} listedRuns @param {(row: Row) => unknown} name */
function card(row, listedRuns, name) {
  const { run, runRow } = row;
  const state = stateOf(runRow);
  return html`<article class="run-card ${isShown(selection.value, run) ? "" : "off"} ${marked.value.has(run) ? "marked" : ""}"
    data-run=${run}>
    <div class="run-card-head">${markBox(run, listedRuns)}${showSwitch(run)}${name(row)}${state === "unknown" ? nothing : stateMark(state, stateSentence(runRow))}</div>
    ${metrics.value.slice(0, MAX_METRICS).map((tag) => metricRow(row, tag))}
  </article>`;
}

/** @param {Row} row @param {string} tag */
function metricRow(row, tag) {
  const [line, , best] = metricColumns(tag);
  return html`<div class="run-card-metric"><span class="meta" title=${tag}>${tag}</span>${CELLS.sparkline(row, line)}<span
    class="number" title=${best.label}>${CELLS.metric(row, best)}</span></div>`;
}
