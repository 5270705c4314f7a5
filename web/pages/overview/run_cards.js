// The runs as a list of cards, where a table has no room: state, name, and two metrics with their sparklines.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { swatch } from "../../controls/icons.js";
import { stateMark, stateSentence } from "../../controls/state_mark.js";
import { DASHES } from "../../data/colours/run_styles.js";
import { marked } from "../../data/runs/marked_runs.js";
import { stateOf } from "../../data/runs/run_state.js";
import { metrics } from "../../data/runs/run_table.js";
import { styles } from "../../data/runs/runs.js";
import { isShown } from "../../data/runs/selection.js";
import { selection } from "../../data/view/view.js";
import { CELLS } from "./cells.js";
import { metricColumns } from "./columns.js";
import { markBox, showSwitch } from "./row_boxes.js";
import { listedRuns } from "./rows.js";
import { groupToggle, runLink } from "./table_row.js";
import { t } from "./words.js";

/** @typedef {import("./rows.js").Line} Line */
/** @typedef {import("./row.js").Row} Row */

/** Must be equal to the height in style.css. */
export const CARD = 92;
const MAX_METRICS = 2;

/** @param {readonly Line[]} lines the existing ones @param {number} first place of the first of them
 * @param {number} count of all lines */
export const runCards = (lines, first, count) => html`
  <ul class="run-cards" aria-label=${t("overview.table")} style="height:${count * CARD}px">${repeat(
    lines,
    (line) => ("row" in line ? line.row.run : `/${line.group.key}`),
    (line, at) => html`<li style="top:${(first + at) * CARD}px" aria-setsize=${count}
      aria-posinset=${first + at + 1}>${"row" in line ? card(line.row) : groupToggle(line.group)}</li>`,
  )}</ul>`;

/** @param {Row} row */
function card(row) {
  const { run, runRow } = row;
  const style = styles.value.get(run) ?? { colour: 0, dash: 0 };
  const state = stateOf(runRow);
  return html`<article class="run-card ${isShown(selection.value, run) ? "" : "off"} ${marked.value.has(run) ? "marked" : ""}"
    data-run=${run}>
    <div class="run-card-head">${markBox(row, listedRuns)}${showSwitch(row)}${swatch(style, DASHES[style.dash])}${runLink(
      row,
    )}${state === "unknown" ? nothing : stateMark(state, stateSentence(runRow))}</div>
    ${metrics.value.slice(0, MAX_METRICS).map((tag) => metricRow(row, tag))}
  </article>`;
}

/** @param {Row} row @param {string} tag */
function metricRow(row, tag) {
  const [line, , best] = metricColumns(tag);
  return html`<div class="run-card-metric"><span class="meta" title=${tag}>${tag}</span>${CELLS.sparkline(row, line)}<span
    class="number" title=${best.label}>${CELLS.metric(row, best)}</span></div>`;
}
