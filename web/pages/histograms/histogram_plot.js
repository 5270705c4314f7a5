// A plot: a canvas with the histograms, and a second one above it for the marks at the pointer.

import { effect } from "@preact/signals-core";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { rowAtStep } from "../../charts/histogram/buckets.js";
import { areaOf, clearedContext } from "../../charts/histogram/frame.js";
import { binOf, binsOf, edgeOf } from "../../charts/histogram/rebin.js";
import { BANDS } from "./draw/bands.js";
import { HEAT } from "./draw/heat.js";
import { RIDGE } from "./draw/ridge.js";
import { SINGLE } from "./draw/single.js";
import { hideReadOut, showReadOut } from "./read_out.js";
import { pointed, toggleStep } from "./settings.js";

/** @typedef {import("../../charts/histogram/frame.js").Plan} Plan */
/** @typedef {import("../../charts/histogram/frame.js").Target} Target */

/** @type {Record<import("./settings.js").Mode, import("../../charts/histogram/frame.js").Drawing>} */
const DRAWINGS = { ridge: RIDGE, heat: HEAT, bands: BANDS, single: SINGLE };
/** Bins and rows that an arrow key moves by. @type {Record<string, [bins: number, rows: number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

class HistogramPlot extends HTMLElement {
  /** @type {Plan | null} */
  #plan = null;
  /** The last drawing. @type {{plan: Plan, mode: import("./settings.js").Mode} | null} */
  #drawn = null;
  /** @type {import("./settings.js").Mode} */
  #mode = "ridge";
  #draw = () => this.draw();
  #canvas = document.createElement("canvas");
  #overlay = document.createElement("canvas");
  #size = new ResizeObserver(
    ([
      {
        contentRect: { width, height },
      },
    ]) => this.#resized(width, height),
  );
  /** In CSS pixels; cached, so that drawing does not force a layout. */
  #width = 0;
  #height = 0;
  #frame = 0;
  /** @type {() => void} */
  #end = () => {};

  connectedCallback() {
    this.append(this.#canvas, this.#overlay);
    this.#size.observe(this);
    this.#end = effect(() => this.#mark(pointed.value));
    if (this.#plan) scheduleDraw(this.#draw); // A drawing may have been pending when it was moved.
    this.onpointermove = (/** @type {PointerEvent} */ { offsetX, offsetY }) => this.#pointed(offsetX, offsetY);
    this.onpointerleave = this.onblur = () => this.#pointerLeft();
    this.onclick = () => this.#markStep();
    this.onkeydown = (/** @type {KeyboardEvent} */ event) => this.#keyPressed(event);
  }

  disconnectedCallback() {
    this.#size.disconnect();
    this.#end();
    this.#pointerLeft();
    cancelDraw(this.#draw);
  }

  /** @param {{plan: Plan, mode: import("./settings.js").Mode}} what */
  set drawn({ plan, mode }) {
    if (plan === this.#plan && mode === this.#mode) return;
    this.#plan = plan;
    this.#mode = mode;
    scheduleDraw(this.#draw);
  }

  get drawing() {
    return DRAWINGS[this.#mode];
  }

  get area() {
    return areaOf(this.#width, this.#height, this.drawing.margins);
  }

  /** @param {number} width @param {number} height */
  #resized(width, height) {
    if (width === this.#width && height === this.#height) return;
    this.#width = width;
    this.#height = height;
    scheduleDraw(this.#draw);
  }

  draw() {
    const plan = this.#plan;
    // The resize observer is called only a frame later.
    if (!this.#width) ({ width: this.#width, height: this.#height } = this.getBoundingClientRect());
    if (!plan || !this.#width) return;
    this.drawing.paint(clearedContext(this.#canvas, this.#width, this.#height), plan, this.area);
    this.#mark(pointed.peek());
    this.#drawn = { plan, mode: this.#mode };
    this.dataset.axis = plan.axis;
    this.dataset.drawnMode = this.#mode;
  }

  /** Marks the pointed step; its value only if it is pointed at in a card with the same tag.
   * @param {({tag: string} & Target) | null} target */
  #mark(target) {
    const plan = this.#plan;
    if (!plan || !this.#width || !this.closest("histogram-card.active")) return;
    const context = clearedContext(this.#overlay, this.#width, this.#height);
    this.drawing.mark(
      context,
      plan,
      this.area,
      target ? target.step : plan.step,
      target?.tag === plan.tag ? target.value : null,
    );
  }

  /** @param {number} x @param {number} y */
  #pointed(x, y) {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      if (this.#plan) this.#aim(this.drawing.target(this.#plan, this.area, x, y));
    });
  }

  /** @param {Target | null} target */
  #aim(target) {
    const plan = this.#plan;
    pointed.value = target && plan ? { tag: plan.tag, ...target } : null;
    if (target && plan) showReadOut(this.getBoundingClientRect(), plan, target, this.#mode);
    else hideReadOut();
  }

  #pointerLeft() {
    cancelAnimationFrame(this.#frame);
    if (pointed.peek()?.tag !== this.#plan?.tag) return;
    pointed.value = null;
    hideReadOut();
  }

  #markStep() {
    const target = pointed.peek();
    if (target && this.#mode !== "single") toggleStep(target.step);
  }

  /** @param {KeyboardEvent} event */
  #keyPressed(event) {
    const move = ARROWS[event.key];
    if (event.key === "Enter") this.#markStep();
    if (!move || !this.#plan) return;
    event.preventDefault();
    this.#aim(movedTarget(this.#plan, pointed.peek(), move));
  }

  /** What is drawn, in detail. */
  debugState() {
    const { plan, mode } = this.#drawn ?? {};
    const lines = plan?.lines ?? [];
    const shown = lines.map(({ rows }) => rows[rowAtStep(rows, plan?.step ?? Infinity)]);
    const total = (/** @type {import("../../charts/histogram/buckets.js").Distribution | undefined} */ row) =>
      plan && row ? binsOf(row, plan.grid).reduce((sum, count) => sum + count, 0) : 0;
    return {
      runs: lines.map(({ run }) => run),
      steps: lines.map(({ rows }) => rows.map((row) => row.step)),
      shownSteps: shown.map((row) => row?.step ?? null),
      totals: (mode === "single" ? shown : (lines[0]?.rows ?? [])).map(total),
      grid: plan ? [plan.grid.lo, plan.grid.hi, plan.grid.bins] : null,
    };
  }
}

/** The target after an arrow key; at first the middle of the last step.
 * @param {Plan} plan @param {Target | null} from @param {[bins: number, rows: number]} by @returns {Target | null} */
function movedTarget({ lines, grid }, from, [bins, rows]) {
  const line = lines.find(({ run }) => run === from?.run) ?? lines.find(({ rows: its }) => its.length);
  if (!line?.rows.length) return null;
  const row = from ? rowAtStep(line.rows, from.step) + rows : line.rows.length - 1;
  const bin = from ? binOf(grid, from.value) + bins : grid.bins >> 1;
  const place = Math.min(grid.bins - 1, Math.max(0, bin));
  const value = edgeOf(grid, place) / 2 + edgeOf(grid, place + 1) / 2;
  return { run: line.run, step: line.rows[Math.min(line.rows.length - 1, Math.max(0, row))].step, value };
}

customElements.define("histogram-plot", HistogramPlot);
