// Where a table of elements is scrolled to: kept exactly, however roughly a scroll bar shows it.

import { barOf } from "./model/window.js";

/** @typedef {import("./model/window.js").Frame} Frame */

/** CSS pixels of a line that a wheel moves by. */
const LINE = 22;

/** Remembers the place of one table in pixels of its cells, which may be more than a browser can scroll over. */
export class TableScroll {
  top = 0;
  left = 0;

  /** @param {HTMLElement} view that scrolls; its first child is as large as the cells, as far as a browser can
   * @param {() => Frame} frame as the place is now @param {() => void} moved */
  constructor(view, frame, moved) {
    this.view = view;
    this.frame = frame;
    this.moved = moved;
  }

  /** How the browser's scroll bars stand to the cells. */
  bars(frame = this.frame()) {
    return {
      down: barOf(frame.rows, frame.cellHeight, frame.headHeight, frame.height),
      across: barOf(frame.columns, frame.cellWidth, frame.headWidth, frame.width),
    };
  }

  /** Follows the browser's own scrolling. */
  follow() {
    const { scrollTop, scrollLeft } = this.view;
    const { down, across } = this.bars();
    // A place that was set by us is kept exactly; the bar only shows it roughly.
    if (Math.abs(scrollTop - this.top / down.ratio) > 1) this.top = scrollTop * down.ratio;
    if (Math.abs(scrollLeft - this.left / across.ratio) > 1) this.left = scrollLeft * across.ratio;
    this.moved();
  }

  /** Where a pixel of the scroll bar stands for many, the wheel moves the cells and the bar follows.
   * @param {WheelEvent} event */
  wheel(event) {
    const { down, across } = this.bars();
    if (event.ctrlKey || (down.ratio === 1 && across.ratio === 1)) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
    const sideways = event.shiftKey && !event.deltaX;
    this.to(
      this.top + (sideways ? 0 : event.deltaY * lines),
      this.left + (sideways ? event.deltaY : event.deltaX) * lines,
    );
  }

  /** @param {number} top @param {number} left */
  to(top, left) {
    this.top = top;
    this.left = left;
    const frame = this.frame();
    this.top = frame.top;
    this.left = frame.left;
    const { down, across } = this.bars(frame);
    this.view.scrollTop = this.top / down.ratio;
    this.view.scrollLeft = this.left / across.ratio;
    this.moved();
  }
}
