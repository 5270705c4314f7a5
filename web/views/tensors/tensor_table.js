// A table of elements, however many: one canvas, and only the tiles in sight are here.

import { html, render } from "lit-html";
import { drawNever, drawSoon } from "../../charts/draw_queue.js";
import { drawGrid, elementAt, widest } from "../../charts/tensor_grid.js";
import { cellText, exactText } from "../../lib/tensor_format.js";
import { cellOf, columnLabel, indexAt, rowLabel } from "../../lib/tensor_layout.js";
import { barOf, cellsInSight, cellUnder, towards } from "../../lib/tensor_window.js";
import { t } from "../../state/words.js";
import { Tiles } from "./tiles.js";

/** @typedef {import("../../charts/tensor_grid.js").Look} Look */
/** @typedef {import("../../charts/tensor_grid.js").Cell} Cell */
/** @typedef {import("./shown.js").Source} Source */

/** `samples` are texts that cells must have room for. @typedef {{source: Source, look: Look, samples: string[], label: string, theme: string}} Table */

const HEAD = 24;
const ROW = 22;
const MAP_CELL = 7;
/** Cells are told in words once scrolling rests so long. */
const REST = 150;
/** Rows and columns of the table in words. */
const TOLD = { rows: 60, columns: 30 };

class TensorTable extends HTMLElement {
  /** @type {Table | null} */
  #table = null;
  /** @type {Tiles | null} */
  #tiles = null;
  /** Shown until the tiles of a newer source are here. @type {Tiles | null} */
  #before = null;
  /** @type {import("../../charts/tensor_grid.js").Tile[]} */
  #drawn = [];
  #top = 0;
  #left = 0;
  /** @type {Cell | null} */
  #cursor = null;
  #rest = 0;
  #draw = () => this.draw();
  #size = new ResizeObserver(() => drawSoon(this.#draw));

  connectedCallback() {
    if (!this.firstChild) this.#build();
    this.#size.observe(this);
  }

  disconnectedCallback() {
    this.#size.disconnect();
    drawNever(this.#draw);
    clearTimeout(this.#rest);
    this.#tiles?.stop();
    this.#before?.stop();
    this.#tiles = this.#before = null;
  }

  #build() {
    render(html`
      <div class="tensor-view"><canvas aria-hidden="true"></canvas>
        <div class="tensor-scroll" tabindex="0" role="group" @scroll=${() => this.#scrolled()} @wheel=${{ handleEvent: (/** @type {WheelEvent} */ event) => this.#wheel(event), passive: false }}
          @pointermove=${(/** @type {PointerEvent} */ event) => this.#pointed(event)} @keydown=${(/** @type {KeyboardEvent} */ event) => this.#pressed(event)}><i></i></div></div>
      <p class="tensor-read-out" aria-live="polite"></p>
      <div class="in-words"></div>`, this);
  }

  get #scroller() {
    return /** @type {HTMLElement} */ (this.querySelector(".tensor-scroll"));
  }

  /** @param {Table} table */
  set table(table) {
    this.#table = table;
    this.dataset.told = "false";
    if (this.#tiles?.source.key !== table.source.key) this.#replace(table.source);
    drawSoon(this.#draw);
  }

  /** @param {Source} source */
  #replace(source) {
    const isAlike = JSON.stringify(this.#tiles?.source.layout) === JSON.stringify(source.layout);
    this.#before?.stop();
    this.#before = isAlike ? this.#tiles : null;
    if (!isAlike) {
      this.#tiles?.stop();
      this.#top = this.#left = 0;
      this.#cursor = null;
    }
    this.#tiles = new Tiles(source, () => drawSoon(this.#draw));
    this.dispatchEvent(new CustomEvent("trouble", { detail: null }));
  }

  #frame() {
    const { source, look, samples } = /** @type {Table} */ (this.#table);
    const { layout } = source;
    const { clientWidth: width, clientHeight: height } = this.#scroller;
    const last = layout.rows - 1;
    const labels = [rowLabel(layout, last), rowLabel(layout, Math.max(0, last - 1)), columnLabel(layout, layout.columns - 1)];
    const cellWidth = look.isMap ? MAP_CELL : Math.ceil(Math.max(widest(samples, "cell"), widest(labels.slice(2), "label")));
    const headWidth = Math.ceil(widest(labels.slice(0, 2), "label"));
    const frame = { rows: layout.rows, columns: layout.columns, cellWidth, cellHeight: look.isMap ? MAP_CELL : ROW, headWidth, headHeight: HEAD, width, height, left: 0, top: 0 };
    frame.top = Math.max(0, Math.min(this.#top, layout.rows * frame.cellHeight + HEAD - height));
    frame.left = Math.max(0, Math.min(this.#left, layout.columns * cellWidth + headWidth - width));
    return frame;
  }

  /** How the browser's scroll bars stand to the cells. */
  #bars(frame = this.#frame()) {
    return {
      down: barOf(frame.rows, frame.cellHeight, HEAD, frame.height),
      across: barOf(frame.columns, frame.cellWidth, frame.headWidth, frame.width),
    };
  }

  draw() {
    if (!this.#table || !this.#tiles || !this.isConnected) return;
    this.#measure();
    const frame = this.#frame();
    const cells = cellsInSight(frame);
    const { tiles, isComplete } = this.#tiles.look(cells);
    if (isComplete || this.#tiles.error) {
      this.#before?.stop();
      this.#before = null;
    }
    const shown = this.#before ? this.#before.look(cells).tiles : tiles;
    this.#drawn = shown;
    const { look, source } = this.#table;
    drawGrid(/** @type {HTMLCanvasElement} */ (this.querySelector("canvas")), frame, look, source.layout, shown, this.#cursor);
    this.dataset.source = this.#before ? this.#before.source.key : source.key;
    this.dataset.complete = String(isComplete && !this.#before);
    this.dataset.cells = [cells.top, cells.bottom, cells.left, cells.right].join(",");
    if (this.#tiles.error) this.dispatchEvent(new CustomEvent("trouble", { detail: this.#tiles.error }));
    this.#readOut();
    this.dataset.told = "false";
    clearTimeout(this.#rest);
    this.#rest = window.setTimeout(() => this.#tell(), REST);
  }

  /** Makes the scrolled content as large as the cells need, as far as a browser can. */
  #measure() {
    const scroller = this.#scroller;
    const frame = this.#frame();
    const { down, across } = this.#bars(frame);
    const ghost = /** @type {HTMLElement} */ (scroller.firstElementChild);
    ghost.style.width = `${across.length}px`;
    ghost.style.height = `${down.length}px`;
    this.style.setProperty("--whole", `${Math.min(down.length, 100_000) + 16}px`);
    scroller.setAttribute("aria-label", this.#table?.label ?? "");
  }

  #scrolled() {
    const { scrollTop, scrollLeft } = this.#scroller;
    const { down, across } = this.#bars();
    // A place that was set by us is kept exactly; the bar only shows it roughly.
    if (Math.abs(scrollTop - this.#top / down.ratio) > 1) this.#top = scrollTop * down.ratio;
    if (Math.abs(scrollLeft - this.#left / across.ratio) > 1) this.#left = scrollLeft * across.ratio;
    drawSoon(this.#draw);
  }

  /** Where a pixel of the scroll bar stands for many, the wheel moves the cells and the bar follows.
   * @param {WheelEvent} event */
  #wheel(event) {
    const { down, across } = this.#bars();
    if (event.ctrlKey || (down.ratio === 1 && across.ratio === 1)) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? ROW : 1;
    const sideways = event.shiftKey && !event.deltaX;
    this.#scrollTo(this.#top + (sideways ? 0 : event.deltaY * lines), this.#left + (sideways ? event.deltaY : event.deltaX) * lines);
  }

  /** @param {number} top @param {number} left */
  #scrollTo(top, left) {
    this.#top = top;
    this.#left = left;
    const frame = this.#frame();
    this.#top = frame.top;
    this.#left = frame.left;
    const { down, across } = this.#bars(frame);
    this.#scroller.scrollTop = this.#top / down.ratio;
    this.#scroller.scrollLeft = this.#left / across.ratio;
    drawSoon(this.#draw);
  }

  /** @param {PointerEvent} event */
  #pointed({ clientX, clientY }) {
    const { left, top } = this.#scroller.getBoundingClientRect();
    const cell = cellUnder(this.#frame(), clientX - left, clientY - top);
    if (!cell || (cell.row === this.#cursor?.row && cell.column === this.#cursor.column)) return;
    this.#cursor = cell;
    drawSoon(this.#draw);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const frame = this.#frame();
    const seen = cellsInSight(frame);
    const { row, column } = this.#cursor ?? { row: seen.top, column: seen.left };
    const screen = Math.max(1, Math.floor((frame.height - HEAD) / frame.cellHeight) - 1);
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      PageDown: [row + screen, column], PageUp: [row - screen, column], Home: [row, 0], End: [row, frame.columns - 1],
    };
    const move = this.#cursor || !event.key.startsWith("Arrow") ? moves[event.key] : event.key in moves ? [row, column] : undefined;
    if (!move || !frame.rows) return;
    event.preventDefault();
    this.goTo({ row: move[0], column: move[1] });
  }

  /** Puts the cursor on a cell, and the cell into sight.
   * @param {Cell} cell */
  goTo({ row, column }) {
    const frame = this.#frame();
    const cell = { row: Math.max(0, Math.min(frame.rows - 1, row)), column: Math.max(0, Math.min(frame.columns - 1, column)) };
    this.#cursor = cell;
    this.#scrollTo(
      towards(cell.row, frame.cellHeight, frame.top, frame.height - HEAD),
      towards(cell.column, frame.cellWidth, frame.left, frame.width - frame.headWidth),
    );
  }

  /** Puts the cursor on the n-th element of the slice.
   * @param {number} n */
  goToElement(n) {
    if (!this.#table) return;
    const [row, column] = cellOf(this.#table.source.layout, n);
    this.goTo({ row, column });
  }

  retry() {
    this.#tiles?.retry();
  }

  #readOut() {
    const line = /** @type {HTMLElement} */ (this.querySelector(".tensor-read-out"));
    const cell = this.#cursor;
    const index = cell && this.#table && indexAt(this.#table.source.layout, cell.row, cell.column);
    const found = cell && index && elementAt(this.#drawn, cell);
    const value = found ? exactText(found.elements, found.index) : "";
    line.classList.toggle("non-finite", Boolean(found && !Number.isFinite(found.number)));
    line.dataset.index = index ? JSON.stringify(index) : "";
    line.dataset.value = value;
    const text = index ? `[${index.join(", ")}]  ${found ? value : "…"}` : t("tensor.point");
    if (line.textContent !== text) line.textContent = text;
  }

  /** The cells in sight as a table in words, for those who cannot see the canvas. */
  #tell() {
    const table = this.#table;
    const host = this.querySelector(".in-words");
    if (!table || !host || !this.isConnected) return;
    const { top, bottom, left, right } = cellsInSight(this.#frame());
    const { layout } = table.source;
    const range = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ most) => Array.from({ length: Math.max(0, Math.min(to - from, most)) }, (_, place) => from + place);
    const columns = range(left, right, TOLD.columns);
    const rows = table.look.isMap ? [] : range(top, bottom, TOLD.rows);
    const text = (/** @type {Cell} */ cell) => {
      const found = elementAt(this.#drawn, cell);
      return found ? cellText(found.elements, found.index, table.look.format) : "";
    };
    render(html`<table><caption>${table.label}</caption>
      <thead><tr><td></td>${columns.map((column) => html`<th scope="col">${columnLabel(layout, column)}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr><th scope="row">${rowLabel(layout, row)}</th>${columns.map((column) => html`<td>${text({ row, column })}</td>`)}</tr>`)}</tbody>
    </table>`, /** @type {HTMLElement} */ (host));
    this.dataset.told = this.dataset.complete;
  }
}

customElements.define("tensor-table", TensorTable);
