// The element with the lines between two neighbouring axes, drawn while visible, a few strips per frame.

import { effect, signal } from "@preact/signals-core";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { tokens } from "../../charts/theme.js";
import { theme } from "../../data/view/view.js";
import { LazyCard } from "../lazy_card.js";
import { StripPainter } from "./strip_lines.js";

class AxesStrip extends LazyCard {
  /** The position among the strips. */
  place = 0;
  #axes = signal(/** @type {import("./parallel_axes.js").Axes | null} */ (null));
  #canvas = document.createElement("canvas");
  #painter = new StripPainter();

  /** @param {import("./parallel_axes.js").Axes} axes */
  set axes(axes) {
    this.#axes.value = axes;
  }

  /** @returns {Array<() => void>} */
  begin() {
    this.replaceChildren(this.#canvas);
    const draw = () => this.#draw();
    const end = effect(() => {
      [this.#axes.value, theme.value];
      scheduleDraw(draw);
    });
    return [end, () => cancelDraw(draw)];
  }

  #draw() {
    const axes = this.#axes.peek();
    const [left, right] = axes?.scales.slice(this.place) ?? [];
    if (!axes || !left || !right) return;
    const { surface, faint } = tokens();
    this.#painter.draw(this.#canvas, { ...axes, left: left.places, right: right.places, background: surface, faint });
    this.dataset.drawnRuns = String(axes.kept.length);
  }
}

customElements.define("axes-strip", AxesStrip);
