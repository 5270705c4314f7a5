// A custom element that is drawn on an animation frame, and again whenever its size changes.

import { drawNever, drawSoon } from "../../charts/draw_queue.js";

export class DrawnElement extends HTMLElement {
  #draw = () => this.draw();
  #resizeObserver = new ResizeObserver(() => this.drawSoon());

  connectedCallback() {
    this.#resizeObserver.observe(this);
  }

  disconnectedCallback() {
    this.#resizeObserver.disconnect();
    drawNever(this.#draw);
  }

  drawSoon() {
    drawSoon(this.#draw);
  }

  /** Draws the element; subclasses override it. */
  draw() {}
}
