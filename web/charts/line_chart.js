// A line chart: uPlot scales and selects; LinesLayer draws the lines, each with its own x (uPlot's mode 2).

import uPlot from "uplot";
import { axesOf, drawAxes } from "./axes.js";
import { leastAlong, partOf, rounded } from "./box_zoom.js";
import { ChartGestures } from "./chart_gestures.js";
import { yExtent } from "./extent.js";
import { LinesLayer } from "./lines_layer.js";
import { drawnOf, projections } from "./plot.js";
import { followTouches } from "./touches.js";

/** @typedef {import("./plot.js").Plot} Plot */
/** @typedef {import("./plot.js").Heights} Heights */
/** @typedef {import("../data/view/address.js").Window} Window */

/** @typedef {object} ChartListener
 * @property {(zoom: import("../data/view/address.js").Zoom) => void} zoomed the user dragged over a part, moved it, or zoomed
 * @property {boolean} [isBox] do drags also zoom y?
 * @property {() => void} reset the user double-clicked
 * @property {(at: {left: number, top: number} | null) => void} pointed in pixels of the plot area; null = the pointer
 * left
 */

/** @type {ChartListener} */
const NO_LISTENER = { zoomed() {}, reset() {}, pointed() {} };

/** The chart of one card. Call `destroy`, or `leave` to reuse it. */
export class LineChart {
  /** @param {HTMLElement} host @param {Plot} plot @param {ChartListener} listener */
  constructor(host, plot, listener) {
    this.plot = plot;
    this.y = heightsOf(plot);
    this.axes = axesOf(plot, this.y, host.clientWidth, host.clientHeight);
    this.listener = listener;
    this.gestures = new ChartGestures(this);
    /** The window of all points, as far as the chart has shown it. @type {Window | null} */
    this.whole = plot.isWhole ? plot.x : null;
    /** Created by the first draw. @type {LinesLayer | undefined} */
    this.layer = undefined;
    this.line = document.createElement("div");
    this.line.className = "crosshair";
    this.line.hidden = true;
    /** @type {uPlot} */
    this.u = this.#create(host);
    /** Where the button of the mouse was pressed last. */
    this.pressedAt = { left: 0, top: 0 };
    /** The pixel column of the crosshair, to detect changes. @type {number | null} */
    this.crosshairAt = null;
  }

  /** @param {Plot} plot */
  draw(plot) {
    const before = kindOf(this.plot, this.y);
    if (plot.isWhole || plot.axis !== this.plot.axis) this.whole = plot.isWhole ? plot.x : null;
    this.plot = plot;
    this.y = heightsOf(plot);
    this.axes = axesOf(plot, this.y, this.u.width, this.u.height);
    if (kindOf(plot, this.y) !== before) this.rebuild();
    else this.u.batch(() => this.u.setData(this.corners()));
  }

  /** uPlot defers drawing to a microtask, outside the time that the draw queue measures; a batch draws at its end.
   * @param {HTMLElement} host @returns {uPlot} */
  #create(host) {
    const u = (this.u = new uPlot(this.options(host), this.corners(), host));
    u.over.append(this.line);
    u.over.addEventListener("wheel", (event) => this.gestures.turned(event), { passive: false });
    followTouches(u.over, {
      pointed: (at) => this.listener.pointed(at),
      pinched: (from, to) => this.gestures.pinched(from, to),
      released: () => this.gestures.released(),
    });
    u.batch(() => {});
    return u;
  }

  /** uPlot fixes a scale's kind at construction. */
  rebuild() {
    this.layer?.stop();
    const host = /** @type {HTMLElement} */ (this.u.root.parentElement);
    this.u.destroy();
    this.layer = undefined;
    this.#create(host);
  }

  /** Moves to another card, equal to a new chart.
   * @param {HTMLElement} host @param {Plot} plot @param {ChartListener} listener */
  moveTo(host, plot, listener) {
    this.listener = listener;
    this.whole = null;
    host.append(this.u.root);
    this.u.syncRect(true);
    this.resize(host.clientWidth, host.clientHeight);
    this.draw(plot);
  }

  /** Leaves its card and clears it. */
  leave() {
    this.gestures.cancel();
    this.listener = NO_LISTENER;
    this.showCrosshair(null);
    this.layer?.clear();
    this.u.root.remove();
  }

  /** Draws before it returns. @param {number} width @param {number} height */
  resize(width, height) {
    if (width === this.u.width && height === this.u.height) return;
    this.axes = axesOf(this.plot, this.y, width, height);
    this.u.batch(() => this.u.setSize({ width, height }));
  }

  /** @param {number | null} x */
  showCrosshair(x) {
    const [left, right] = this.plot.x;
    const place = x === null || x < left || x > right ? NaN : (this.layer?.to?.left.left(x) ?? NaN);
    const at = Number.isFinite(place) ? Math.round(place / devicePixelRatio) : null;
    if (at === this.crosshairAt) return;
    this.crosshairAt = at;
    this.line.hidden = at === null;
    if (at !== null) this.line.style.transform = `translateX(${at}px)`;
  }

  edges() {
    const [left, right] = this.plot.x;
    return { left, right, ratio: this.u.bbox.width / devicePixelRatio / (right - left) };
  }

  /** The value of x under a pixel of the plot area.
   * @param {number} left */
  xAt(left) {
    return this.u.posToVal(left, "x");
  }

  destroy() {
    this.gestures.cancel();
    this.layer?.stop();
    this.u.destroy();
  }

  /** One series per y axis: uPlot needs only the extremes, as the layer draws the lines. @returns {any} */
  corners() {
    return [null, ...scalesOf(this.y).map(([, y]) => [[...this.plot.x], [...y]])];
  }

  drawLines() {
    this.layer ??= new LinesLayer(this.u.over);
    const { width, height } = this.u.bbox;
    this.layer.draw(this.plot, projections(this.plot, this.y, width, height, devicePixelRatio));
  }

  /** @param {HTMLElement} host @returns {uPlot.Options} */
  options(host) {
    const { log, logX = false } = this.plot;
    const scales = scalesOf(this.y);
    const heights = (/** @type {"left" | "right"} */ side) => [.../** @type {Window} */ (this.y[side])];
    const margin = (/** @type {number} */ side) => () => this.axes.margins[side];
    return {
      mode: 2,
      width: host.clientWidth,
      height: host.clientHeight,
      pxAlign: true,
      legend: { show: false },
      series: [
        {},
        ...scales.map(([side]) => ({
          facets: [
            { scale: "x", auto: true },
            { scale: side, auto: true },
          ],
          paths: () => null,
          points: { show: false },
        })),
      ],
      scales: {
        x: { time: false, distr: logX ? 3 : 1, range: () => [...this.plot.x] },
        ...Object.fromEntries(
          scales.map(([side]) => [
            side,
            { time: false, distr: log ? 3 : 1, range: () => /** @type {any} */ (heights(side)) },
          ]),
        ),
      },
      axes: [{ show: false }, ...scales.map(([side]) => ({ show: false, scale: side }))],
      padding: [margin(0), margin(1), margin(2), margin(3)],
      cursor: {
        x: false,
        y: false,
        points: { show: false },
        drag: { x: true, y: this.listener.isBox ?? false, setScale: false, dist: 4, uni: 0 },
        bind: {
          mousedown: (_u, _target, select) => (event) => {
            this.pressedAt = { left: event.clientX, top: event.clientY };
            if (!event.shiftKey) select(event);
            else if (event.button === 0) this.gestures.pressed(event);
            return null;
          },
          mousemove: (u, _target, move) => (event) => {
            const { left, top } = this.pressedAt;
            if (u.cursor.drag) u.cursor.drag.uni = leastAlong(event.clientX - left, event.clientY - top);
            move(event);
            return null;
          },
          dblclick: () => () => {
            this.listener.reset();
            return null;
          },
        },
      },
      hooks: {
        drawClear: [(u) => drawAxes(u.ctx, this.axes, this.plot, this.y, u.bbox, devicePixelRatio)],
        draw: [() => this.drawLines()],
        setSelect: [(u) => this.selected(u)],
        setCursor: [(u) => this.pointed(u)],
      },
    };
  }

  /** @param {uPlot} u */
  pointed({ cursor: { left = -1, top = -1 } }) {
    this.listener.pointed(left < 0 || top < 0 ? null : { left, top });
  }

  /** @param {uPlot} u */
  selected(u) {
    const { left, top, width, height } = u.select;
    const area = { width: u.over.clientWidth, height: u.over.clientHeight };
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    const { log } = this.plot;
    const isAlong = (/** @type {number} */ length, /** @type {number} */ whole) => length >= 4 && length < whole - 1;
    const x = isAlong(width, area.width) && this.wholeSteps(u.posToVal(left, "x"), u.posToVal(left + width, "x"));
    const y =
      this.y.left &&
      isAlong(height, area.height) &&
      rounded(partOf(this.y.left, log, 1 - (top + height) / area.height, 1 - top / area.height));
    if (x || y) this.listener.zoomed({ ...(x && x[1] > x[0] && { x }), ...(y && y[1] > y[0] && { y }) });
  }

  /** @param {number} lo @param {number} hi @returns {Window} */
  wholeSteps(lo, hi) {
    if (this.plot.axis !== "step") return rounded([lo, hi]);
    return Math.ceil(lo) < Math.floor(hi) ? [Math.ceil(lo), Math.floor(hi)] : [Math.floor(lo), Math.ceil(hi)];
  }
}

/** uPlot fixes the kinds of scales at construction.
 * @param {Plot} plot @param {Heights} y */
const kindOf = ({ axis, log, logX = false }, y) => [axis, log, logX, !y.left, !y.right].join();

/** @param {Heights} y @returns {Array<["left" | "right", Window]>} */
const scalesOf = ({ left, right }) => [
  ...(left || !right ? [/** @type {["left", Window]} */ (["left", left ?? [0, 1]])] : []),
  ...(right ? [/** @type {["right", Window]} */ (["right", right])] : []),
];

/** @param {Plot} plot @returns {Heights} */
export function heightsOf({ lines, x, log, y }) {
  if (y) return y;
  return { left: yExtent(lines.map(drawnOf), x, { log, isRobust: false }), right: null };
}
