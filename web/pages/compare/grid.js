// A table of the compared runs: one column per run, or transposed one row per run.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { runTitle } from "../../controls/card_parts.js";
import { wholeRoom } from "../../controls/number_cell.js";
import { baselineMark } from "../../controls/run_table/name_cell.js";
import { set, setting } from "../../data/view/view.js";

/** What the table has of each run, by one name. `head` is the content of its heading; `isWhole` = shown in full.
 * @typedef {{name: string, head: unknown, cells: unknown[], isWhole?: boolean}} GridLine */

const layout = setting("compare.layout", "columns", ["columns", "rows"]);
/** @param {string} value */
export const setLayout = (value) => set({ "compare.layout": value === "columns" ? "" : value });
export { layout };

/** The letters for the integer parts of each line: with a column for each line, they need what their own numbers do,
 * else all need the same. @param {readonly (readonly string[])[]} texts of the numbers of each line */
export function wholeRooms(texts) {
  const rooms = texts.map(wholeRoom);
  return layout.value === "rows" ? rooms : rooms.map(() => Math.max(0, ...rooms));
}

/** @param {readonly string[]} runs @param {readonly GridLine[]} lines with one cell, a `td`, per run
 * @param {string} label @param {string} kind */
export const grid = (runs, lines, label, kind) => html`
  <div class="difference" tabindex="0" role="region" aria-label=${label}>${
    layout.value === "rows" ? byRun(runs, lines, kind) : byName(runs, lines, kind)
  }</div>`;

/** @param {readonly string[]} runs @param {readonly GridLine[]} lines @param {string} kind */
const byName = (runs, lines, kind) => html`<table data-difference=${kind} style="--runs:${runs.length}">
  <thead><tr><td></td>${runs.map((run) => runHead(run, "col"))}</tr></thead>
  <tbody>${repeat(
    lines,
    ({ name }) => name,
    ({ name, head, cells, isWhole }) =>
      html`<tr data-name=${name} class=${isWhole ? "whole" : ""}><th scope="row" title=${name}>${head}</th>${cells}</tr>`,
  )}</tbody>
</table>`;

/** @param {readonly string[]} runs @param {readonly GridLine[]} lines @param {string} kind */
const byRun = (runs, lines, kind) => html`<table data-difference=${kind} class="transposed">
  <thead><tr><td></td>${lines.map(({ name, head }) => html`<th scope="col" title=${name}>${head}</th>`)}</tr></thead>
  <tbody>${repeat(
    runs,
    (run) => run,
    (run, at) => html`<tr data-run=${run}>${runHead(run, "row")}${lines.map(({ cells }) => cells[at])}</tr>`,
  )}</tbody>
</table>`;

/** @param {string} run @param {"col" | "row"} scope */
const runHead = (run, scope) => html`<th scope=${scope} title=${run}><span
  class="head-run">${runTitle(run)}${baselineMark(run)}</span></th>`;
