// A part of the lineage page: an element that draws itself again only when what it shows changes, each in its turn.

import { effect } from "@preact/signals-core";
import { render } from "lit-html";
import { drawNever, drawSoon } from "../../charts/draw_queue.js";

/** Subclasses say in `template` what is shown, and in `begin` what else goes on while it is in the page. */
export class LineagePart extends HTMLElement {
  /** @type {Array<() => void>} */
  #ends = [];
  #unfollow = () => {};

  connectedCallback() {
    const start = () => {
      this.#draw();
      this.#ends = [() => this.#unfollow(), () => drawNever(this.#draw), ...this.begin()];
    };
    this.#ends = [() => drawNever(start)];
    drawSoon(start);
  }

  disconnectedCallback() {
    for (const end of this.#ends.splice(0)) end();
  }

  /** Draws, and waits for its turn again as soon as something has changed: parts that change together do not hold up the page. */
  #draw = () => {
    this.#unfollow();
    let isDrawn = false;
    this.#unfollow = effect(() => {
      if (isDrawn) return drawSoon(this.#draw);
      isDrawn = true;
      render(this.template(), this);
    });
  };

  /** @returns {unknown} */
  template() {
    return null;
  }

  /** @returns {Array<() => void>} what ends each of the things begun */
  begin() {
    return [];
  }

  /** Calls back now and whenever the element's width changes. @param {(width: number) => void} changed @returns {() => void} */
  followWidth(changed) {
    const size = new ResizeObserver(() => changed(this.clientWidth));
    size.observe(this);
    return () => size.disconnect();
  }
}
