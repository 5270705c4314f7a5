// A table of elements, however many: one canvas, and only the tiles in sight are here.

import { html, render } from "lit-html";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { inWords } from "./accessible_table.js";
import { widest } from "./draw/fonts.js";
import { drawGrid, elementAt } from "./draw/grid.js";
import { exactText } from "./model/format.js";
import { cellOf, columnLabel, indexAt, rowLabel } from "./model/layout.js";
import { cellsInSight, cellUnder, towards } from "./model/window.js";
import { TableScroll } from "./table_scroll.js";
import { Tiles } from "./tiles.js";
import { t } from "./words.js";

/** @typedef {import("./draw/theme.js").Look} Look */
/** @typedef {import("./draw/grid.js").Cell} Cell */
/** @typedef {import("./displayed_slice.js").Source} Source */

/** `samples` are texts that cells must have room for. @typedef {{source: Source, look: Look, samples: string[], label: string, theme: string}} Table */

const HEAD = 24;
const ROW = 22;
/** A cell of a map: as large as a small map allows. */
const MAP = { least: 7, most: 28, side: 560 };
/** Cells are told in words once scrolling rests so long. */
const REST = 150;

class TensorTable extends HTMLElement {
  /** @type {Table | null} */
  #table = null;
  /** @type {Tiles | null} */
  #tiles = null;
  /** Shown until the tiles of a newer source are here. @type {Tiles | null} */
  #before = null;
  /** @type {import("./draw/grid.js").Tile[]} */
  #drawn = [];
  /** @type {Cell | null} */
  #cursor = null;
  #rest = 0;
  #draw = () => this.draw();
  /** @type {HTMLElement} */
  #view = document.createElement("div");
  #scroll = new TableScroll(
    this.#view,
    () => this.#frame(),
    () => scheduleDraw(this.#draw),
  );
  #size = new ResizeObserver(() => scheduleDraw(this.#draw));

  connectedCallback() {
    if (!this.firstChild) this.#build();
    this.#size.observe(this);
  }

  disconnectedCallback() {
    this.#size.disconnect();
    cancelDraw(this.#draw);
    clearTimeout(this.#rest);
    this.#tiles?.stop();
    this.#before?.stop();
    this.#tiles = this.#before = null;
  }

  #build() {
    const view = this.#view;
    view.className = "tensor-scroll";
    view.tabIndex = 0;
    view.setAttribute("role", "group");
    view.append(document.createElement("i"));
    view.addEventListener("scroll", () => this.#scroll.follow());
    view.addEventListener("wheel", (event) => this.#scroll.wheel(event), { passive: false });
    view.addEventListener("pointermove", (event) => this.#pointed(event));
    view.addEventListener("keydown", (event) => this.#pressed(event));
    render(
      html`
      <div class="tensor-view"><canvas aria-hidden="true"></canvas>${view}</div>
      <p class="tensor-read-out" aria-live="polite"></p>
      <div class="in-words"></div>`,
      this,
    );
  }

  /** @param {Table} table */
  set table(table) {
    this.#table = table;
    this.dataset.told = "false";
    if (this.#tiles?.source.key !== table.source.key) this.#replace(table.source);
    scheduleDraw(this.#draw);
  }

  /** @param {Source} source */
  #replace(source) {
    const isAlike = JSON.stringify(this.#tiles?.source.layout) === JSON.stringify(source.layout);
    this.#before?.stop();
    this.#before = isAlike ? this.#tiles : null;
    if (!isAlike) {
      this.#tiles?.stop();
      this.#cursor = null;
    }
    this.#tiles = new Tiles(source, () => scheduleDraw(this.#draw));
    if (!isAlike) this.#scroll.to(0, 0);
    this.dispatchEvent(new CustomEvent("trouble", { detail: null }));
  }

  #frame() {
    const { source, look, samples } = /** @type {Table} */ (this.#table);
    const { layout } = source;
    const { clientWidth: width, clientHeight: height } = this.#view;
    const last = layout.rows - 1;
    const labels = [
      rowLabel(layout, last),
      rowLabel(layout, Math.max(0, last - 1)),
      columnLabel(layout, layout.columns - 1),
    ];
    const mapCell = Math.max(
      MAP.least,
      Math.min(MAP.most, Math.floor(MAP.side / Math.max(1, layout.rows, layout.columns))),
    );
    const cellWidth = look.isMap
      ? mapCell
      : Math.ceil(Math.max(widest(samples, "cell"), widest(labels.slice(2), "label")));
    const headWidth = Math.ceil(widest(labels.slice(0, 2), "label"));
    const frame = {
      rows: layout.rows,
      columns: layout.columns,
      cellWidth,
      cellHeight: look.isMap ? mapCell : ROW,
      headWidth,
      headHeight: HEAD,
      width,
      height,
      left: 0,
      top: 0,
    };
    frame.top = Math.max(0, Math.min(this.#scroll.top, layout.rows * frame.cellHeight + HEAD - height));
    frame.left = Math.max(0, Math.min(this.#scroll.left, layout.columns * cellWidth + headWidth - width));
    return frame;
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
    drawGrid(
      /** @type {HTMLCanvasElement} */ (this.querySelector("canvas")),
      frame,
      look,
      source.layout,
      shown,
      this.#cursor,
    );
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
    const { down, across } = this.#scroll.bars();
    const ghost = /** @type {HTMLElement} */ (this.#view.firstElementChild);
    ghost.style.width = `${across.length}px`;
    ghost.style.height = `${down.length}px`;
    this.style.setProperty("--whole", `${Math.min(down.length, 100_000) + 16}px`);
    this.#view.setAttribute("aria-label", this.#table?.label ?? "");
  }

  /** @param {PointerEvent} event */
  #pointed({ clientX, clientY }) {
    const { left, top } = this.#view.getBoundingClientRect();
    const cell = cellUnder(this.#frame(), clientX - left, clientY - top);
    if (!cell || (cell.row === this.#cursor?.row && cell.column === this.#cursor.column)) return;
    this.#cursor = cell;
    scheduleDraw(this.#draw);
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
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      PageDown: [row + screen, column],
      PageUp: [row - screen, column],
      Home: [row, 0],
      End: [row, frame.columns - 1],
    };
    const move =
      this.#cursor || !event.key.startsWith("Arrow")
        ? moves[event.key]
        : event.key in moves
          ? [row, column]
          : undefined;
    if (!move || !frame.rows) return;
    event.preventDefault();
    this.goTo({ row: move[0], column: move[1] });
  }

  /** Puts the cursor on a cell, and the cell into sight.
   * @param {Cell} cell */
  goTo({ row, column }) {
    const frame = this.#frame();
    const cell = {
      row: Math.max(0, Math.min(frame.rows - 1, row)),
      column: Math.max(0, Math.min(frame.columns - 1, column)),
    };
    this.#cursor = cell;
    this.#scroll.to(
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

  #tell() {
    const host = this.querySelector(".in-words");
    if (!this.#table || !(host instanceof HTMLElement) || !this.isConnected) return;
    render(inWords(this.#table, this.#frame(), this.#drawn), host);
    this.dataset.told = this.dataset.complete;
  }
}

customElements.define("tensor-table", TensorTable);
