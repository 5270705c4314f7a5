// The base class of the page's cards: each renders again, in a queue, only when the signals it reads change.

import { effect } from "@preact/signals-core";
import { render } from "lit-html";
import { cancelDraw, scheduleDraw, scheduleDrawLast } from "../../charts/draw_queue.js";

/** Subclasses override `template`, and `begin` for effects that run while the element is connected. */
export class LineageElement extends HTMLElement {
  /** @type {Array<() => void>} */
  #disposers = [];
  #stopFollowing = () => {};

  connectedCallback() {
    const start = () => {
      this.measure(this.clientWidth);
      this.#draw();
      this.#disposers = [() => this.#stopFollowing(), () => cancelDraw(this.#draw), ...this.begin()];
    };
    this.#disposers = [() => cancelDraw(start)];
    scheduleDrawLast(start); // The lines of the axes are drawn first.
  }

  disconnectedCallback() {
    for (const dispose of this.#disposers.splice(0)) dispose();
  }

  /** Renders, and queues the next rendering on a change, so that cards that change together do not block the page. */
  #draw = () => {
    this.#stopFollowing();
    let isDrawn = false;
    this.#stopFollowing = effect(() => {
      if (isDrawn) return scheduleDraw(this.#draw);
      isDrawn = true;
      render(this.template(), this);
    });
  };

  /** Receives the width before the first rendering. @param {number} _width */
  measure(_width) {}

  /** @returns {unknown} */
  template() {
    return null;
  }

  /** @returns {Array<() => void>} functions that end the effects */
  begin() {
    return [];
  }

  /** Calls `measure` whenever the size changes. @returns {() => void} ends it */
  followSize() {
    const observer = new ResizeObserver(() => this.measure(this.clientWidth));
    observer.observe(this);
    return () => observer.disconnect();
  }
}
