// A table of any number of elements on one canvas, of which only the visible tiles are loaded.

import { html, render } from "lit-html";
import { accessibleTable } from "./accessible_table.js";
import { maxTextWidth } from "./draw/fonts.js";
import { drawGrid, elementAt } from "./draw/grid.js";
import { DrawnElement } from "./drawn_element.js";
import { exactText } from "./model/format.js";
import { cellOf, columnLabel, indexAt, rowLabel } from "./model/layout.js";
import { cellAt, scrollOffsetFor, visibleCells } from "./model/viewport.js";
import { TableScroll } from "./table_scroll.js";
import { TileCache } from "./tile_cache.js";
import { t } from "./words.js";

/** @typedef {import("./draw/theme.js").TableStyle} TableStyle */
/** @typedef {import("./draw/grid.js").Cell} Cell */
/** @typedef {import("./displayed_slice.js").Source} Source */

/**
 * Cells must have room for `widestTexts`.
 * @typedef {{source: Source, style: TableStyle, widestTexts: string[], label: string, theme: string}} Table
 */

const HEAD_HEIGHT = 24;
const ROW_HEIGHT = 22;
/** Limits of the size of a map's cells, and the side of a small map that they fill. */
const MAP = { minCell: 7, maxCell: 28, side: 560 };
/** Milliseconds without scrolling before the accessible table is updated. */
const ACCESSIBLE_DELAY = 150;

class TensorTable extends DrawnElement {
  /** @type {Table | null} */
  #table = null;
  /** @type {TileCache | null} */
  #tiles = null;
  /** Shown until the tiles of a newer source are loaded. @type {TileCache | null} */
  #previous = null;
  /** @type {import("./draw/grid.js").Tile[]} */
  #drawn = [];
  /** @type {Cell | null} */
  #cursor = null;
  #accessibleTimer = 0;
  /** @type {HTMLElement} */
  #view = document.createElement("div");
  #scroll = new TableScroll(
    this.#view,
    () => this.#frame(),
    () => this.scheduleDraw(),
  );

  connectedCallback() {
    if (!this.firstChild) this.#build();
    super.connectedCallback();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.#accessibleTimer);
    this.#tiles?.stop();
    this.#previous?.stop();
    this.#tiles = this.#previous = null;
  }

  #build() {
    const view = this.#view;
    view.className = "tensor-scroll";
    view.tabIndex = 0;
    view.setAttribute("role", "group");
    view.append(document.createElement("i"));
    view.addEventListener("scroll", () => this.#scroll.follow());
    view.addEventListener("wheel", (event) => this.#scroll.wheel(event), { passive: false });
    view.addEventListener("pointermove", (event) => this.#onPointerMove(event));
    view.addEventListener("keydown", (event) => this.#onKeyDown(event));
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
    this.dataset.accessible = "false";
    if (this.#tiles?.source.key !== table.source.key) this.#replace(table.source);
    this.scheduleDraw();
  }

  /** @param {Source} source */
  #replace(source) {
    const isSameLayout = JSON.stringify(this.#tiles?.source.layout) === JSON.stringify(source.layout);
    this.#previous?.stop();
    this.#previous = isSameLayout ? this.#tiles : null;
    if (!isSameLayout) {
      this.#tiles?.stop();
      this.#cursor = null;
    }
    this.#tiles = new TileCache(source, () => this.scheduleDraw());
    if (!isSameLayout) this.#scroll.to(0, 0);
    this.dispatchEvent(new CustomEvent("tile-error", { detail: null }));
  }

  #frame() {
    const { source, style, widestTexts } = /** @type {Table} */ (this.#table);
    const { layout } = source;
    const { clientWidth: width, clientHeight: height } = this.#view;
    const last = layout.rows - 1;
    const labels = [
      rowLabel(layout, last),
      rowLabel(layout, Math.max(0, last - 1)),
      columnLabel(layout, layout.columns - 1),
    ];
    const mapCell = Math.max(
      MAP.minCell,
      Math.min(MAP.maxCell, Math.floor(MAP.side / Math.max(1, layout.rows, layout.columns))),
    );
    const cellWidth = style.isMap
      ? mapCell
      : Math.ceil(Math.max(maxTextWidth(widestTexts, "cell"), maxTextWidth(labels.slice(2), "label")));
    const headWidth = Math.ceil(maxTextWidth(labels.slice(0, 2), "label"));
    const frame = {
      rows: layout.rows,
      columns: layout.columns,
      cellWidth,
      cellHeight: style.isMap ? mapCell : ROW_HEIGHT,
      headWidth,
      headHeight: HEAD_HEIGHT,
      width,
      height,
      left: 0,
      top: 0,
    };
    frame.top = Math.max(0, Math.min(this.#scroll.top, layout.rows * frame.cellHeight + HEAD_HEIGHT - height));
    frame.left = Math.max(0, Math.min(this.#scroll.left, layout.columns * cellWidth + headWidth - width));
    return frame;
  }

  draw() {
    if (!this.#table || !this.#tiles || !this.isConnected) return;
    this.#resizeContent();
    const frame = this.#frame();
    const cells = visibleCells(frame);
    const { tiles, isComplete } = this.#tiles.tilesFor(cells);
    if (isComplete || this.#tiles.error) {
      this.#previous?.stop();
      this.#previous = null;
    }
    const shown = this.#previous ? this.#previous.tilesFor(cells).tiles : tiles;
    this.#drawn = shown;
    const { style, source } = this.#table;
    drawGrid(
      /** @type {HTMLCanvasElement} */ (this.querySelector("canvas")),
      frame,
      style,
      source.layout,
      shown,
      this.#cursor,
    );
    this.dataset.source = this.#previous ? this.#previous.source.key : source.key;
    this.dataset.complete = String(isComplete && !this.#previous);
    this.dataset.cells = [cells.top, cells.bottom, cells.left, cells.right].join(",");
    if (this.#tiles.error) this.dispatchEvent(new CustomEvent("tile-error", { detail: this.#tiles.error }));
    this.#readOut();
    this.dataset.accessible = "false";
    clearTimeout(this.#accessibleTimer);
    this.#accessibleTimer = window.setTimeout(() => this.#renderAccessibleTable(), ACCESSIBLE_DELAY);
  }

  /** Makes the scrolled content as large as the cells, within the limits of browsers. */
  #resizeContent() {
    const { down, across } = this.#scroll.bars();
    const content = /** @type {HTMLElement} */ (this.#view.firstElementChild);
    content.style.width = `${across.length}px`;
    content.style.height = `${down.length}px`;
    this.style.setProperty("--whole", `${Math.min(down.length, 100_000) + 16}px`);
    this.#view.setAttribute("aria-label", this.#table?.label ?? "");
  }

  /** @param {PointerEvent} event */
  #onPointerMove({ clientX, clientY }) {
    const { left, top } = this.#view.getBoundingClientRect();
    const cell = cellAt(this.#frame(), clientX - left, clientY - top);
    if (!cell || (cell.row === this.#cursor?.row && cell.column === this.#cursor.column)) return;
    this.#cursor = cell;
    this.scheduleDraw();
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const frame = this.#frame();
    const seen = visibleCells(frame);
    const { row, column } = this.#cursor ?? { row: seen.top, column: seen.left };
    const screen = Math.max(1, Math.floor((frame.height - HEAD_HEIGHT) / frame.cellHeight) - 1);
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

  /** Moves the cursor to a cell and scrolls to it.
   * @param {Cell} cell */
  goTo({ row, column }) {
    const frame = this.#frame();
    const cell = {
      row: Math.max(0, Math.min(frame.rows - 1, row)),
      column: Math.max(0, Math.min(frame.columns - 1, column)),
    };
    this.#cursor = cell;
    this.#scroll.to(
      scrollOffsetFor(cell.row, frame.cellHeight, frame.top, frame.height - HEAD_HEIGHT),
      scrollOffsetFor(cell.column, frame.cellWidth, frame.left, frame.width - frame.headWidth),
    );
  }

  /** Moves the cursor to the n-th element of the slice.
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
    const element = cell && index && elementAt(this.#drawn, cell);
    const value = element ? exactText(element.elements, element.index) : "";
    line.classList.toggle("non-finite", Boolean(element && !Number.isFinite(element.number)));
    line.dataset.index = index ? JSON.stringify(index) : "";
    line.dataset.value = value;
    const text = index ? `[${index.join(", ")}]  ${element ? value : "…"}` : t("tensor.point");
    if (line.textContent !== text) line.textContent = text;
  }

  #renderAccessibleTable() {
    const host = this.querySelector(".in-words");
    if (!this.#table || !(host instanceof HTMLElement) || !this.isConnected) return;
    render(accessibleTable(this.#table, this.#frame(), this.#drawn), host);
    this.dataset.accessible = this.dataset.complete;
  }
}

customElements.define("tensor-table", TensorTable);
