// A custom element that is drawn on an animation frame, and again whenever its size changes.

import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";

export class DrawnElement extends HTMLElement {
  #draw = () => this.draw();
  #resizeObserver = new ResizeObserver(() => this.scheduleDraw());

  connectedCallback() {
    this.#resizeObserver.observe(this);
  }

  disconnectedCallback() {
    this.#resizeObserver.disconnect();
    cancelDraw(this.#draw);
  }

  scheduleDraw() {
    scheduleDraw(this.#draw);
  }

  /** Draws the element; subclasses override it. */
  draw() {}
}
