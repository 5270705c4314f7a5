// Gestures on a chart: Shift and a drag move what it shows, Ctrl or ⌘ and the wheel zoom along x, as do two fingers.

import { dragged, factorOf, leastAlong, rounded, scaled } from "./box_zoom.js";
import { pinchedWindow } from "./touches.js";

/** @typedef {import("./line_chart.js").LineChart} LineChart */
/** @typedef {import("../data/view/address.js").Zoom} Zoom */

/** Milliseconds after the last turn of the wheel before the points of the window are requested. */
const WHEEL_REST = 200;

/** Both ends alike, so that a window that moves keeps its length.
 * @param {import("../data/view/address.js").Window} window @param {import("./ticks.js").Axis} axis
 * @returns {import("../data/view/address.js").Window | null} null = less than a step */
function roundedX([lo, hi], axis) {
  if (axis !== "step") return rounded([lo, hi]);
  return Math.round(lo) < Math.round(hi) ? [Math.round(lo), Math.round(hi)] : null;
}

/** Shows each gesture at once, with the points that the chart has, and reports it when it ends. */
export class ChartGestures {
  #rest = 0;
  /** What the gesture shows until it ends. @type {Zoom | null} */
  #shown = null;
  /** Ends listening to a drag. @type {AbortController | null} */
  #drag = null;

  /** The window when two fingers were put down. @type {import("../data/view/address.js").Window | null} */
  #pinching = null;

  /** @param {LineChart} chart */
  constructor(chart) {
    this.chart = chart;
  }

  /** @param {MouseEvent} event */
  pressed(event) {
    const { chart } = this;
    const { plot, y } = chart;
    const { width, height } = chart.u.over.getBoundingClientRect();
    this.#drag = new AbortController();
    const listening = this.#drag;
    const move = (/** @type {MouseEvent} */ now) => {
      const [right, down] = [now.clientX - event.clientX, now.clientY - event.clientY];
      const least = leastAlong(right, down);
      const isAlongY = chart.listener.isBox && y.left && Math.abs(down) >= least;
      this.#show({
        ...(Math.abs(right) >= least && { x: dragged(plot.x, plot.logX ?? false, right / width) }),
        ...(isAlongY && y.left && { y: dragged(y.left, plot.log, -down / height) }),
      });
    };
    const end = () => {
      listening.abort();
      this.#finish();
    };
    document.addEventListener("mousemove", move, listening);
    document.addEventListener("mouseup", end, listening);
  }

  /** @param {WheelEvent} event */
  turned(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { plot, u } = this.chart;
    const { left, width } = u.over.getBoundingClientRect();
    const x = scaled(plot.x, plot.logX ?? false, (event.clientX - left) / width, factorOf(event));
    this.#show({ x });
    clearTimeout(this.#rest);
    this.#rest = window.setTimeout(() => this.#finish(), WHEEL_REST);
  }

  /** @param {import("./touches.js").Places} from @param {import("./touches.js").Places} to */
  pinched(from, to) {
    const { plot } = this.chart;
    this.#pinching ??= [plot.x[0], plot.x[1]];
    const x = pinchedWindow(this.#pinching, plot.logX ?? false, from, to);
    if (x) this.#show({ x });
  }

  /** One of two fingers was lifted. */
  released() {
    this.#finish();
  }

  /** @param {Zoom} zoom */
  #show(zoom) {
    this.#shown = zoom;
    const { plot, y } = this.chart;
    this.chart.draw({ ...plot, isWhole: false, x: zoom.x ?? plot.x, y: { ...y, left: zoom.y ?? y.left } });
  }

  #finish() {
    const zoom = this.#shown;
    this.cancel();
    if (!zoom) return;
    const { chart } = this;
    const { whole } = chart;
    const x = zoom.x && roundedX(zoom.x, chart.plot.axis);
    const isAll = x && whole && x[0] <= whole[0] && x[1] >= whole[1];
    chart.listener.zoomed({ ...(x && { x: isAll ? null : x }), ...(zoom.y && { y: rounded(zoom.y) }) });
  }

  /** Ends a gesture without a report. */
  cancel() {
    clearTimeout(this.#rest);
    this.#drag?.abort();
    [this.#drag, this.#shown, this.#pinching] = [null, null, null];
  }
}
