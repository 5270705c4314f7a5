// Where a long table is scrolled to, and which of its lines and columns therefore exist.

import { signal } from "@preact/signals-core";
import { columnsBetween } from "./columns.js";

/** Lines that exist before and behind the visible ones. */
const SPARE = 6;
/** Lines and pixels by which the range of what exists moves, so that few scroll events render. */
const STRIDE = 5;
const LEFT_STRIDE = 120;
/** Height of the page outside the table. */
const FRAME = 130;
/** What needs requests follows after so many milliseconds without scrolling. */
const REST = 80;

/** Measuring a table would force a layout: it is no larger than the window. */
const size = signal({ width: innerWidth, height: innerHeight });
addEventListener("resize", () => void (size.value = { width: innerWidth, height: innerHeight }));

export class TableWindow {
  #lineHeight;
  #top = 0;
  #left = 0;
  #firstVisible = signal(0);
  #firstAtRest = signal(0);
  #visibleLeft = signal(0);
  #restTimer = 0;

  /** @param {() => number} lineHeight in pixels */
  constructor(lineHeight) {
    this.#lineHeight = lineHeight;
  }

  /** @param {Event} event */
  scrolled = ({ currentTarget }) => {
    ({ scrollTop: this.#top, scrollLeft: this.#left } = /** @type {HTMLElement} */ (currentTarget));
    this.#firstVisible.value = Math.floor(this.#top / this.#lineHeight() / STRIDE) * STRIDE;
    this.#visibleLeft.value = Math.floor(this.#left / LEFT_STRIDE) * LEFT_STRIDE;
    clearTimeout(this.#restTimer);
    this.#restTimer = window.setTimeout(() => (this.#firstAtRest.value = this.#firstVisible.peek()), REST);
  };

  /** Scrolls a table that is drawn again to where it was: a layout, unless that is its start.
   * @param {Element | undefined} table */
  restore(table) {
    if (this.#top || this.#left) table?.scrollTo(this.#left, this.#top);
  }

  /** The range of existing lines, its end excluded. @param {number} count of all lines */
  lines(count) {
    return this.#rangeFrom(this.#firstVisible.value, count);
  }

  /** The same once scrolling has stopped. @param {number} count */
  linesAtRest(count) {
    return this.#rangeFrom(this.#firstAtRest.value, count);
  }

  /** @param {number} firstVisible @param {number} count @returns {[number, number]} */
  #rangeFrom(firstVisible, count) {
    const first = Math.max(0, Math.min(firstVisible, count - 1) - SPARE);
    const visible = Math.ceil((size.value.height - FRAME) / this.#lineHeight());
    return [first, Math.min(count, first + visible + 2 * SPARE + STRIDE)];
  }

  /** The range of existing columns, its end excluded. @param {readonly number[]} widths in pixels */
  columns(widths) {
    const left = this.#visibleLeft.value;
    return columnsBetween(widths, left, left + size.value.width + LEFT_STRIDE);
  }
}
