// The table of runs. Only the visible rows exist.

import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { RowSlots } from "../../controls/row_slots.js";
import { excludedRuns, showHidden } from "../../data/notes/notes.js";
import { cursorRun } from "../../data/view/pointer.js";
import { narrow } from "../../data/view/view.js";
import { columnWidths } from "./column_widths.js";
import { shownColumns } from "./columns.js";
import { lines, listedRuns } from "./rows.js";
import { CARD, runCards } from "./run_cards.js";
import { openRun } from "./settings.js";
import { headRows, tableHead } from "./table_head.js";
import { groupLine, runLine } from "./table_row.js";
import { t } from "./words.js";

/** @typedef {import("./rows.js").Line} Line */

/** Must be equal to the row height in style.css. */
export const ROW = 30;
const SPARE = 6;
/** Rows by which the range of existing rows moves, so that few scroll events render. */
const STRIDE = 5;
/** Height of the page outside the table. */
const FRAME = 130;
const NAME_WIDTH = 300;

/** The last scroll position, in pixels. */
let top = 0;
const firstVisible = signal(0);
/** The same after this many milliseconds without scrolling. */
const firstAtRest = signal(0);
const REST = 80;
let restTimer = 0;
const screenHeight = signal(innerHeight);

/** The height of a line: of a row, or of a card where there is no room for a table. */
const lineHeight = () => (narrow.peek() ? CARD : ROW);

/** Returns the range of existing lines, its end excluded. @param {number} firstLine the first visible line */
function range(firstLine) {
  const first = Math.max(0, Math.min(firstLine, lines.value.length - 1) - SPARE);
  return /** @type {const} */ ([
    first,
    Math.min(lines.value.length, first + Math.ceil((screenHeight.value - FRAME) / lineHeight()) + 2 * SPARE + STRIDE),
  ]);
}

/** The runs of the existing rows, once scrolling has stopped. */
export const visibleRuns = () =>
  lines.value.slice(...range(firstAtRest.value)).flatMap((line) => ("row" in line ? [line.row.run] : []));

/** @param {Event} event */
function scrolled({ currentTarget }) {
  top = /** @type {HTMLElement} */ (currentTarget).scrollTop;
  firstVisible.value = Math.floor(top / lineHeight() / STRIDE) * STRIDE;
  clearTimeout(restTimer);
  restTimer = window.setTimeout(() => (firstAtRest.value = firstVisible.peek()), REST);
}

/** Follows the height of the window until the returned function is called. */
export function followHeight() {
  const measure = () => (screenHeight.value = innerHeight);
  addEventListener("resize", measure);
  measure();
  return () => removeEventListener("resize", measure);
}

/** Restores the scroll position of the table until the returned function is called. */
export const followScrollPosition = () =>
  effect(() => {
    if (!openRun.value) queueMicrotask(() => document.querySelector(".run-table")?.scrollTo(0, top));
  });

const slots = new RowSlots();

/** No run name starts with a slash. @param {Line} line */
const keyOf = (line) =>
  "group" in line ? `/${line.group.key}` : line.of ? `/${line.of}/${line.row.run}` : line.row.run;

/** The table, or cards where it has no room. */
export function runTable() {
  if (!narrow.value) return table();
  const [first, last] = range(firstVisible.value);
  return html`<div class="run-table" role="region" aria-label=${t("overview.table")} tabindex="0" @scroll=${scrolled}
    data-lines=${lines.value.length}>${runCards(lines.value.slice(first, last), first, lines.value.length)}${
      lines.value.length ? nothing : noMatch()
    }</div>`;
}

function table() {
  const columns = shownColumns.value;
  const [first, last] = range(firstVisible.value);
  const rows = lines.value.slice(first, last);
  const slot = slots.assign(rows.map(keyOf));
  const count = lines.value.length;
  const widths = columnWidths.value;
  const width = widths.reduce((sum, columnWidth) => sum + columnWidth, NAME_WIDTH);
  return html`
    <div class="run-table" role="region" aria-label=${t("overview.table")} tabindex="0" @scroll=${scrolled}
      data-lines=${count}>
      <table aria-rowcount=${count + headRows()} style="width:${width}px">
        <colgroup><col
          style="width:${NAME_WIDTH}px">${widths.map(
            (columnWidth) => html`<col
            style="width:${columnWidth}px">`,
          )}<col></colgroup>
        ${tableHead(columns)}
        <tbody>
          ${gap(first)}
          ${repeat(
            rows,
            (_, at) => slot[at],
            (line, at) =>
              "row" in line ? runLine(line.row, columns, first + at) : groupLine(line.group, columns, first + at),
          )}
          ${gap(count - last)}
        </tbody>
      </table>
      ${count ? nothing : noMatch()}
    </div>`;
}

/** Why there are no rows: what is left may be hidden. */
const noMatch = () => html`<div class="no-match" data-state="no_match"><p>${t("overview.no_match")}</p>
  ${
    excludedRuns.value.size
      ? html`<button class="plain" @click=${() => showHidden(true)}>${t("empty.show_away")}</button>`
      : nothing
  }</div>`;

/** Holds the place of rows that do not exist. @param {number} rows */
const gap = (rows) => html`<tr class="gap" aria-hidden="true" style="height:${rows * ROW}px"></tr>`;

/** Moves the keyboard selection in the table and scrolls to it. @param {number} by */
export function moveInTable(by) {
  const runs = listedRuns();
  const at = runs.indexOf(cursorRun.peek() ?? "");
  const next = runs[Math.min(runs.length - 1, Math.max(0, at + by))];
  if (next === undefined) return;
  cursorRun.value = next;
  const table = document.querySelector(".run-table");
  if (!table) return;
  const top = lines.peek().findIndex((line) => "row" in line && line.row.run === next) * lineHeight();
  const room = table.clientHeight - (table.querySelector("thead")?.offsetHeight ?? 0) - lineHeight();
  if (top < table.scrollTop) table.scrollTop = top;
  else if (top > table.scrollTop + room) table.scrollTop = top - room;
}
