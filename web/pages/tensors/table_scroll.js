// The exact scroll position of a table, which the browser's scroll bars may only approximate.

import { scrollBarOf } from "./model/viewport.js";

/** @typedef {import("./model/viewport.js").Frame} Frame */

/** CSS pixels per line of a wheel event. */
const LINE = 22;

/** Stores the scroll position of one table in pixels of its cells, which may exceed what a browser can scroll. */
export class TableScroll {
  top = 0;
  left = 0;

  /**
   * @param {HTMLElement} view the scrolling element; its first child has the size of the cells, within the limits of
   *   browsers
   * @param {() => Frame} frame the current frame @param {() => void} moved called after scrolling */
  constructor(view, frame, moved) {
    this.view = view;
    this.frame = frame;
    this.moved = moved;
  }

  /** The lengths of the scrolled content, and the cell pixels per pixel of it. */
  bars(frame = this.frame()) {
    return {
      down: scrollBarOf(frame.rows, frame.cellHeight, frame.headHeight, frame.height),
      across: scrollBarOf(frame.columns, frame.cellWidth, frame.headWidth, frame.width),
    };
  }

  /** Adopts the position after the browser has scrolled. */
  follow() {
    const { scrollTop, scrollLeft } = this.view;
    const { down, across } = this.bars();
    // Keep an exact position that the browser has merely rounded.
    if (Math.abs(scrollTop - this.top / down.ratio) > 1) this.top = scrollTop * down.ratio;
    if (Math.abs(scrollLeft - this.left / across.ratio) > 1) this.left = scrollLeft * across.ratio;
    this.moved();
  }

  /** If a pixel of the scroll bar represents many, scrolls the cells directly; the bar follows.
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
