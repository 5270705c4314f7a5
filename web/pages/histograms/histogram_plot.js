// A plot: a canvas with the histograms, another above it for where the reader points.

import { effect } from "@preact/signals-core";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { rowAtStep } from "../../charts/histogram/buckets.js";
import { areaOf, emptied } from "../../charts/histogram/frame.js";
import { binOf, binsOf, edgeOf } from "../../charts/histogram/rebin.js";
import { BANDS } from "./draw/bands.js";
import { HEAT } from "./draw/heat.js";
import { RIDGE } from "./draw/ridge.js";
import { SINGLE } from "./draw/single.js";
import { hideReadOut, showReadOut } from "./read_out.js";
import { aimed, toggleStep } from "./settings.js";

/** @typedef {import("../../charts/histogram/frame.js").Plan} Plan */
/** @typedef {import("../../charts/histogram/frame.js").Aim} Aim */

/** @type {Record<import("./settings.js").Mode, import("../../charts/histogram/frame.js").Drawing>} */
const DRAWINGS = { ridge: RIDGE, heat: HEAT, bands: BANDS, single: SINGLE };
/** By how much an arrow key moves: bins, steps. @type {Record<string, [bins: number, rows: number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

class HistogramPlot extends HTMLElement {
  /** @type {Plan | null} */
  #plan = null;
  /** @type {import("./settings.js").Mode} */
  #mode = "ridge";
  #draw = () => this.draw();
  #canvas = document.createElement("canvas");
  #above = document.createElement("canvas");
  #size = new ResizeObserver(
    ([
      {
        contentRect: { width, height },
      },
    ]) => this.#sized(width, height),
  );
  /** In CSS pixels; remembered, so that no drawing asks the layout. */
  #width = 0;
  #height = 0;
  #frame = 0;
  /** @type {() => void} */
  #end = () => {};

  connectedCallback() {
    this.append(this.#canvas, this.#above);
    this.#size.observe(this);
    this.#end = effect(() => this.#mark(aimed.value));
    if (this.#plan) scheduleDraw(this.#draw); // Where it stood before it may have been about to draw.
    this.onpointermove = (/** @type {PointerEvent} */ { offsetX, offsetY }) => this.#pointed(offsetX, offsetY);
    this.onpointerleave = this.onblur = () => this.#left();
    this.onclick = () => this.#markStep();
    this.onkeydown = (/** @type {KeyboardEvent} */ event) => this.#pressed(event);
  }

  disconnectedCallback() {
    this.#size.disconnect();
    this.#end();
    this.#left();
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
  #sized(width, height) {
    if (width === this.#width && height === this.#height) return;
    this.#width = width;
    this.#height = height;
    scheduleDraw(this.#draw);
  }

  draw() {
    const plan = this.#plan;
    // Its observer calls a frame later than it could be drawn first.
    if (!this.#width) ({ width: this.#width, height: this.#height } = this.getBoundingClientRect());
    if (!plan || !this.#width) return;
    this.drawing.paint(emptied(this.#canvas, this.#width, this.#height), plan, this.area);
    this.#mark(aimed.peek());
    this.#tellTests(plan);
  }

  /** Of another card only the step is marked: its values are not ours.
   * @param {({tag: string} & Aim) | null} aim */
  #mark(aim) {
    const plan = this.#plan;
    if (!plan || !this.#width || !this.closest("histogram-card.awake")) return;
    const context = emptied(this.#above, this.#width, this.#height);
    this.drawing.mark(context, plan, this.area, aim ? aim.step : plan.step, aim?.tag === plan.tag ? aim.value : null);
  }

  /** @param {number} x @param {number} y */
  #pointed(x, y) {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      if (this.#plan) this.#aim(this.drawing.aim(this.#plan, this.area, x, y));
    });
  }

  /** @param {Aim | null} aim */
  #aim(aim) {
    const plan = this.#plan;
    aimed.value = aim && plan ? { tag: plan.tag, ...aim } : null;
    if (aim && plan) showReadOut(this.getBoundingClientRect(), plan, aim, this.#mode);
    else hideReadOut();
  }

  #left() {
    cancelAnimationFrame(this.#frame);
    if (aimed.peek()?.tag !== this.#plan?.tag) return;
    aimed.value = null;
    hideReadOut();
  }

  #markStep() {
    const aim = aimed.peek();
    if (aim && this.#mode !== "single") toggleStep(aim.step);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const move = ARROWS[event.key];
    if (event.key === "Enter") this.#markStep();
    if (!move || !this.#plan) return;
    event.preventDefault();
    this.#aim(moved(this.#plan, aimed.peek(), move));
  }

  /** What is drawn, readable from outside. @param {Plan} plan */
  #tellTests({ lines, grid, axis, step }) {
    const sum = (/** @type {import("../../charts/histogram/buckets.js").Distribution} */ row) =>
      binsOf(row, grid).reduce((total, count) => total + count, 0);
    const shown = lines.map(({ rows }) => rows[rowAtStep(rows, step ?? Infinity)]);
    this.dataset.drawnRuns = JSON.stringify(lines.map((line) => line.run));
    this.dataset.steps = JSON.stringify(lines.map(({ rows }) => rows.map((row) => row.step)));
    if (this.#mode === "ridge" || this.#mode === "heat") this.dataset.totals = JSON.stringify(lines[0].rows.map(sum));
    if (this.#mode === "single") this.dataset.totals = JSON.stringify(shown.map((row) => (row ? sum(row) : 0)));
    this.dataset.shownStep = JSON.stringify(shown.map((row) => row?.step));
    this.dataset.axis = axis;
    this.dataset.grid = `${grid.lo},${grid.hi},${grid.bins}`;
  }
}

/** Where an arrow key leads to; to the middle of the last step at first.
 * @param {Plan} plan @param {Aim | null} from @param {[bins: number, rows: number]} by @returns {Aim | null} */
function moved({ lines, grid }, from, [bins, rows]) {
  const line = lines.find(({ run }) => run === from?.run) ?? lines.find(({ rows: its }) => its.length);
  if (!line?.rows.length) return null;
  const row = from ? rowAtStep(line.rows, from.step) + rows : line.rows.length - 1;
  const bin = from ? binOf(grid, from.value) + bins : grid.bins >> 1;
  const place = Math.min(grid.bins - 1, Math.max(0, bin));
  const value = edgeOf(grid, place) / 2 + edgeOf(grid, place + 1) / 2;
  return { run: line.run, step: line.rows[Math.min(line.rows.length - 1, Math.max(0, row))].step, value };
}

customElements.define("histogram-plot", HistogramPlot);
