// A scatter plot with a point for each run; the run under the cursor has a ring, and its values beside it.

import { effect, signal } from "@preact/signals-core";
import { html, render } from "lit-html";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { hoveredRun } from "../../data/view/pointer.js";
import { theme } from "../../data/view/view.js";
import { LazyCard } from "../lazy_card.js";
import { followPointer } from "./pointed_run.js";
import { drawScatter, pointsOf, rowAt } from "./scatter_plot.js";
import { tipText } from "./tip_text.js";

/** @typedef {import("./scatter_plot.js").Scatter} Scatter */

/** The cursor points at a point within so many pixels. */
const HIT_DISTANCE = 14;

class RunScatter extends LazyCard {
  #scatter = signal(/** @type {Scatter | null} */ (null));
  #size = signal({ width: 0, height: 0 });
  #points = new Float32Array();

  /** @param {Scatter} scatter */
  set scatter(scatter) {
    this.#scatter.value = scatter;
  }

  begin() {
    render(html`<canvas></canvas><i class="ring" hidden></i><div class="plot-tip" hidden></div>`, this);
    const draw = () => this.#draw();
    const resize = new ResizeObserver(() => {
      this.#size.value = { width: this.clientWidth, height: this.clientHeight };
    });
    resize.observe(this);
    return [
      effect(() => {
        [this.#scatter.value, this.#size.value, theme.value];
        scheduleDraw(draw);
      }),
      effect(() => this.#highlight(hoveredRun.value)),
      followPointer(this, (x, y) => {
        const { kept, runs } = /** @type {Scatter} */ (this.#scatter.peek());
        return runs[rowAt(this.#points, kept, x, y, HIT_DISTANCE) ?? -1];
      }),
      () => cancelDraw(draw),
      () => resize.disconnect(),
    ];
  }

  #draw() {
    const scatter = this.#scatter.peek();
    const canvas = this.querySelector("canvas");
    const { width, height } = this.#size.peek();
    if (!scatter || !canvas || !width || !height) return;
    this.#points = pointsOf(scatter, width, height);
    canvas.style.width = `${width}px`;
    this.dataset.drawnPoints = String(drawScatter(canvas, scatter, this.#points, width, height));
    this.#highlight(hoveredRun.peek());
  }

  /** @param {string | null} run */
  #highlight(run) {
    const [ring, tip] = /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll(".ring, .plot-tip"));
    const scatter = this.#scatter.peek();
    if (!scatter) return;
    const row = run === null ? -1 : scatter.runs.indexOf(run);
    const [x, y] = row < 0 ? [NaN, NaN] : this.#points.subarray(2 * row, 2 * row + 2);
    ring.hidden = tip.hidden = !Number.isFinite(x);
    if (ring.hidden || run === null) return;
    ring.style.translate = `${x}px ${y}px`;
    tip.textContent = tipText(run, [scatter.x.column, scatter.y.column], row);
    const isRight = x > this.clientWidth / 2;
    tip.style.translate = `calc(${x}px + ${isRight ? "-100% - 12px" : "12px"}) ${Math.max(0, y - 20)}px`;
  }
}

customElements.define("run-scatter", RunScatter);
