// The table of runs. Only the rows in sight exist, whatever their number.

import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { RowSlots } from "../../controls/row_slots.js";
import { awayRuns, showAway } from "../../data/notes.js";
import { cursorRun } from "../../data/pointer.js";
import { narrow } from "../../data/view.js";
import { shownColumns } from "./columns.js";
import { lines } from "./rows.js";
import { openRun } from "./settings.js";
import { headRows, tableHead } from "./table_head.js";
import { groupLine, runLine } from "./table_row.js";
import { t } from "./words.js";

/** @typedef {import("./rows.js").Line} Line */

/** Must be the height of a line in overview.css. */
export const ROW = 30;
const SPARE = 6;
/** The window of rows moves by so many, so that not every pixel scrolled costs a rendering. */
const STRIDE = 5;
/** Height of the window that is never the table's. */
const FRAME = 130;
const NAME_WIDTH = 300;
const NARROW_NAME_WIDTH = 208;
/** On a narrow page the state is a dot. */
const NARROW_STATE_WIDTH = 40;

/** Where the table stood when it was last seen, in pixels. */
let top = 0;
const firstInSight = signal(0);
/** The same once nothing has been scrolled for so many milliseconds. */
const firstAtRest = signal(0);
const REST = 80;
let restTimer = 0;
const screenHeight = signal(innerHeight);

/** The lines that exist: from, to. @param {number} inSight the first that is in sight */
function range(inSight) {
  const first = Math.max(0, Math.min(inSight, lines.value.length - 1) - SPARE);
  return /** @type {const} */ ([
    first,
    Math.min(lines.value.length, first + Math.ceil((screenHeight.value - FRAME) / ROW) + 2 * SPARE + STRIDE),
  ]);
}

/** The runs of the rows that exist, as soon as the table rests. */
export const runsInSight = () =>
  lines.value.slice(...range(firstAtRest.value)).flatMap((line) => ("row" in line ? [line.row.run] : []));

/** @param {Event} event */
function scrolled({ currentTarget }) {
  top = /** @type {HTMLElement} */ (currentTarget).scrollTop;
  firstInSight.value = Math.floor(top / ROW / STRIDE) * STRIDE;
  clearTimeout(restTimer);
  restTimer = window.setTimeout(() => (firstAtRest.value = firstInSight.peek()), REST);
}

/** Follows the height of the window until the returned function is called. */
export function followHeight() {
  const measure = () => (screenHeight.value = innerHeight);
  addEventListener("resize", measure);
  measure();
  return () => removeEventListener("resize", measure);
}

/** A table that comes back stands where it stood, until the returned function is called. */
export const followPlace = () =>
  effect(() => {
    if (!openRun.value) queueMicrotask(() => document.querySelector(".run-table")?.scrollTo(0, top));
  });

const slots = new RowSlots();

/** No run begins with a slash. @param {Line} line */
const keyOf = (line) => ("row" in line ? line.row.run : `/${line.group.key}`);

export function runTable() {
  const columns = shownColumns.value;
  const [first, last] = range(firstInSight.value);
  const rows = lines.value.slice(first, last);
  const slot = slots.give(rows.map(keyOf));
  const count = lines.value.length;
  const nameWidth = narrow.value ? NARROW_NAME_WIDTH : NAME_WIDTH;
  const widths = columns.map((column) => (narrow.value && column.look === "state" ? NARROW_STATE_WIDTH : column.width));
  const width = widths.reduce((sum, one) => sum + one, nameWidth);
  return html`
    <div class="run-table" role="region" aria-label=${t("overview.table")} tabindex="0" @scroll=${scrolled} data-lines=${count}>
      <table aria-rowcount=${count + headRows()} style="width:${width}px">
        <colgroup><col style="width:${nameWidth}px">${widths.map((one) => html`<col style="width:${one}px">`)}<col></colgroup>
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
  ${awayRuns.value.size ? html`<button class="plain" @click=${() => showAway(true)}>${t("empty.show_away")}</button>` : nothing}</div>`;

/** Holds the place of rows that do not exist. @param {number} rows */
const gap = (rows) => html`<tr class="gap" aria-hidden="true" style="height:${rows * ROW}px"></tr>`;

/** Moves the keyboard's place in the table and keeps it in sight. @param {number} by */
export function moveInTable(by) {
  const runs = lines.peek().flatMap((line) => ("row" in line ? [line.row.run] : []));
  const at = runs.indexOf(cursorRun.peek() ?? "");
  const next = runs[Math.min(runs.length - 1, Math.max(0, at + by))];
  if (next === undefined) return;
  cursorRun.value = next;
  const table = document.querySelector(".run-table");
  if (!table) return;
  const top = lines.peek().findIndex((line) => "row" in line && line.row.run === next) * ROW;
  const room = table.clientHeight - (table.querySelector("thead")?.offsetHeight ?? 0) - ROW;
  if (top < table.scrollTop) table.scrollTop = top;
  else if (top > table.scrollTop + room) table.scrollTop = top - room;
}
