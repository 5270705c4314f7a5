// A table of runs, of which only the lines and columns that may be visible exist. A page gives it columns and lines.

import { effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { createRef, ref } from "lit-html/directives/ref.js";
import { repeat } from "lit-html/directives/repeat.js";
import { cursorRun, hoveredRun } from "../../data/view/pointer.js";
import { tableHead } from "./head.js";
import { groupLine, runLine } from "./lines.js";
import { RowSlots } from "./row_slots.js";
import { TableWindow } from "./table_window.js";

/** Must be equal to the row height in style.css. */
export const ROW = 30;

/** What a page gives: read while the table is rendered.
 * @template Row
 * @typedef {object} Model
 * @property {() => string} label
 * @property {() => readonly import("./columns.js").Column<Row>[]} columns
 * @property {() => readonly import("./columns.js").Line<Row>[]} lines
 * @property {() => readonly string[]} keptRuns all of its runs, those of closed groups included
 * @property {() => number} nameWidth of the first column, in pixels
 * @property {(row: Row, run: string) => unknown} name what follows the box of a run in the first column
 * @property {(row: Row, run: string) => string} [rowClass]
 * @property {import("@preact/signals-core").ReadonlySignal<import("../../data/text/sorting.js").Sorting>} sorting
 * @property {(id: string, isAdded: boolean, downFirst: boolean) => void} sortBy
 * @property {(ids: string[]) => void} choose shows other columns
 * @property {() => unknown} [filterFields] a row below the headings, or `nothing`
 * @property {() => unknown} noMatch why there are no lines
 * @property {() => number} [lineHeight] in pixels, if what is drawn is not always the table
 */

/** @template Row */
export class RunTable {
  #model;
  #slots = new RowSlots();
  #drawHead;
  #lineHeight;
  /** What scrolls, while it is drawn. A workspace may have several tables.
   * @type {import("lit-html/directives/ref.js").Ref<HTMLElement>} */
  #region = createRef();

  /** @param {Model<Row>} model */
  constructor(model) {
    this.#model = model;
    this.#drawHead = tableHead(model);
    this.#lineHeight = model.lineHeight ?? (() => ROW);
    this.window = new TableWindow(this.#lineHeight);
  }

  /** The runs in the order of the lines; those of closed groups are not listed. */
  listedRuns = () => this.#model.lines().flatMap((line) => ("run" in line ? [line.run] : []));

  /** The runs of the existing lines, once scrolling has stopped. */
  visibleRuns() {
    const lines = this.#model.lines();
    return lines.slice(...this.window.linesAtRest(lines.length)).flatMap((line) => ("run" in line ? [line.run] : []));
  }

  /** What scrolls. @param {unknown} content */
  region(content) {
    const count = this.#model.lines().length;
    return html`<div class="run-table" role="region" aria-label=${this.#model.label()} tabindex="0"
      ${ref(this.#region)} @scroll=${this.window.scrolled} @pointerleave=${() => (hoveredRun.value = null)}
      data-lines=${count} style="--lines:${count}">${content}${count ? nothing : this.#model.noMatch()}</div>`;
  }

  template() {
    const { columns: columnsOf, lines: linesOf, nameWidth: nameWidthOf, filterFields } = this.#model;
    const [columns, lines, nameWidth] = [columnsOf(), linesOf(), nameWidthOf()];
    const widths = columns.map(({ width }) => width);
    const width = widths.reduce((sum, each) => sum + each, nameWidth);
    const range = this.window.columns(widths);
    const [first, end] = this.window.lines(lines.length);
    const drawn = lines.slice(first, end);
    const slot = this.#slots.assign(drawn.map(keyOf));
    const fields = filterFields?.() ?? nothing;
    const headRows = fields === nothing ? 2 : 3;
    return this.region(html`
      <table aria-rowcount=${lines.length + headRows} aria-colcount=${columns.length + 1} style="width:${width}px">
        <colgroup><col style="width:${nameWidth}px">${widths.map(
          (each) => html`<col style="width:${each}px">`,
        )}<col></colgroup>
        <thead>${this.#drawHead(columns)}${fields}</thead>
        <tbody>
          ${gap(first)}
          ${repeat(
            drawn,
            (_, at) => slot[at],
            (line, at) => {
              const place = headRows + first + at + 1;
              return "run" in line
                ? runLine(this.#model, line, columns, range, place, this.listedRuns)
                : groupLine(line.group, columns, range, place);
            },
          )}
          ${gap(lines.length - end)}
        </tbody>
      </table>`);
  }

  /** Moves the cursor and scrolls to it. @param {number} by */
  moveCursor(by) {
    const runs = this.listedRuns();
    const at = runs.indexOf(cursorRun.peek() ?? "");
    const next = runs[Math.min(runs.length - 1, Math.max(0, at + by))];
    if (next === undefined) return;
    cursorRun.value = next;
    const table = this.#region.value;
    if (!table) return;
    const height = this.#lineHeight();
    const top = this.#model.lines().findIndex((line) => "run" in line && line.run === next) * height;
    const room = table.clientHeight - (table.querySelector("thead")?.offsetHeight ?? 0) - height;
    if (top < table.scrollTop) table.scrollTop = top;
    else if (top > table.scrollTop + room) table.scrollTop = top - room;
  }

  restore = () => this.window.restore(this.#region.value);
}

/** No run name starts with a slash. @param {import("./columns.js").Line<unknown>} line */
const keyOf = (line) => ("group" in line ? `/${line.group.key}` : line.of ? `/${line.of}/${line.run}` : line.run);

/** Holds the place of lines that do not exist. @param {number} lines */
const gap = (lines) => html`<tr class="gap" aria-hidden="true" style="height:${lines * ROW}px"></tr>`;

/** Highlights the rows of the run that is pointed at, here or in a chart, until the returned function is called. */
export const followPointed = () =>
  effect(() => {
    const run = hoveredRun.value;
    for (const line of document.querySelectorAll(".run-line.pointed")) line.classList.remove("pointed");
    if (run === null) return;
    for (const line of document.querySelectorAll(`.run-line[data-run="${CSS.escape(run)}"]`))
      line.classList.add("pointed");
  });
