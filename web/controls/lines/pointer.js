// The cursor over one chart: crosshair, highlighted line and read-out, updated once per frame.

import { hitsAt, nearestHit } from "../../charts/hit_test.js";
import { sideOf } from "../../charts/plot.js";
import { readingsOf, stepOf, undrawnAt } from "../../charts/readings.js";
import { crosshair, pointedRun } from "../../data/view/pointer.js";
import { forgetPoints, pointsAt, wantPoints } from "./exact_points.js";
import { hideReadOut, showReadOut } from "./read_out.js";

/** @typedef {import("../../charts/line_chart.js").LineChart} LineChart */
/** @typedef {import("../../charts/hit_test.js").Hit} Hit */

/** Charts with the same axis share the crosshair.
 * @param {import("../../charts/ticks.js").Axis} axis @param {string} [tag] on a "value" axis */
export const axisName = (axis, tag = "") => (axis === "value" ? `value ${tag}` : axis);

/** What one pixel is worth at a reading. @param {LineChart} chart
 * @returns {(reading: import("../../charts/readings.js").Reading) => number} */
function resolutionOf({ y, plot, u }) {
  const pixels = u.bbox.height / devicePixelRatio;
  return ({ line, drawn }) => {
    const [lo, hi] = y[sideOf(line)] ?? y.left ?? [0, 1];
    return plot.log && lo > 0 ? (Math.abs(drawn) * Math.log(hi / lo)) / pixels : (hi - lo) / pixels;
  };
}

/** Tracks the cursor, so that the read-out follows live values. */
export class ChartPointer {
  /** @type {{left: number, top: number} | null} */
  #at = null;
  #frame = 0;
  #inside = false;

  /** @param {LineChart} chart
   * @param {() => import("./exact_points.js").PointQuery} queryOf under what the lines were requested */
  constructor(chart, queryOf) {
    this.chart = chart;
    this.queryOf = queryOf;
  }

  /** @param {{left: number, top: number} | null} at in pixels of the plot area */
  moved(at) {
    this.#at = at;
    if (at || this.#inside) this.#frame ||= requestAnimationFrame(() => this.#show());
  }

  /** The chart was drawn again under the cursor. */
  refresh() {
    if (this.#inside) this.moved(this.#at);
  }

  leave() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#at = null;
    if (this.#inside) this.#hide();
  }

  #show() {
    this.#frame = 0;
    const at = this.#at;
    const { chart } = this;
    const to = chart.layer?.to;
    if (!at || !to) return this.#hide();
    this.#inside = true;
    const { axis, lines } = chart.plot;
    const x = chart.xAt(at.left);
    const pixel = chart.xAt(at.left + 1) - x;
    const hits = hitsAt(lines, x, pixel);
    const best = nearestHit(hits, x, at.top, to);
    this.#highlight(best);
    const step = axis === "step" && hits.length ? stepOf(hits, best, x) : null;
    const query = this.queryOf();
    crosshair.value = { axis: axisName(axis, query.x), x: step ?? x };
    if (step !== null) wantPoints(step, undrawnAt(hits, step), query, () => this.refresh());
    const readings = readingsOf(hits, step, step === null ? new Map() : pointsAt(step));
    if (hits.length)
      showReadOut(chart.u.rect, at, readings, best?.line ?? null, {
        axis,
        step,
        pixel,
        resolution: resolutionOf(chart),
      });
    else hideReadOut();
  }

  /** @param {Hit | null} hit */
  #highlight(hit) {
    pointedRun.value = hit?.line.run ?? null;
    this.chart.layer?.highlightLine(hit?.line ?? null);
    this.chart.layer?.mark(hit && { x: hit.line.xs[hit.index], y: hit.line.ys[hit.index] });
  }

  #hide() {
    this.#inside = false;
    forgetPoints();
    crosshair.value = null;
    this.#highlight(null);
    hideReadOut();
  }
}
