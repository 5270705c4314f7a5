// A part of the lineage page: an element that draws itself again only when what it shows changes, each in its turn.

import { effect } from "@preact/signals-core";
import { render } from "lit-html";
import { cancelDraw, scheduleDraw, scheduleDrawLast } from "../../charts/draw_queue.js";

/** Subclasses say in `template` what is shown, and in `begin` what else goes on while it is in the page. */
export class LineagePart extends HTMLElement {
  /** @type {Array<() => void>} */
  #ends = [];
  #unfollow = () => {};

  connectedCallback() {
    const start = () => {
      this.measure(this.clientWidth);
      this.#draw();
      this.#ends = [() => this.#unfollow(), () => cancelDraw(this.#draw), ...this.begin()];
    };
    this.#ends = [() => cancelDraw(start)];
    scheduleDrawLast(start); // The lines of the axes come before the other parts.
  }

  disconnectedCallback() {
    for (const end of this.#ends.splice(0)) end();
  }

  /** Draws, and waits for its turn again as soon as something has changed: parts that change together do not hold up the page. */
  #draw = () => {
    this.#unfollow();
    let isDrawn = false;
    this.#unfollow = effect(() => {
      if (isDrawn) return scheduleDraw(this.#draw);
      isDrawn = true;
      render(this.template(), this);
    });
  };

  /** Learns how wide it is before it is drawn, so that it is drawn once. @param {number} _width */
  measure(_width) {}

  /** @returns {unknown} */
  template() {
    return null;
  }

  /** @returns {Array<() => void>} what ends each of the things begun */
  begin() {
    return [];
  }

  /** Measures it again whenever its size changes. @returns {() => void} ends it */
  followSize() {
    const size = new ResizeObserver(() => this.measure(this.clientWidth));
    size.observe(this);
    return () => size.disconnect();
  }
}
