// The cursor over one chart: crosshair, the line that stands out, the read-out. One piece of work a frame.

import { hitsAt, nearestHit } from "../../charts/hit.js";
import { crosshair } from "../../data/pointer.js";
import { hideReadOut, showReadOut } from "./read_out.js";

/** @typedef {import("../../charts/line_chart.js").LineChart} LineChart */
/** @typedef {import("../../charts/hit.js").Hit} Hit */

/** Remembers where the cursor is, so that live values can change under it. */
export class CardPointer {
  /** @type {{left: number, top: number} | null} */
  #at = null;
  #frame = 0;
  #inside = false;

  /** @param {LineChart} chart */
  constructor(chart) {
    this.chart = chart;
  }

  /** @param {{left: number, top: number} | null} at in pixels of the plot area */
  moved(at) {
    this.#at = at;
    if (at || this.#inside) this.#frame ||= requestAnimationFrame(() => this.#show());
  }

  /** The chart was drawn again under a resting cursor. */
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
    const hits = hitsAt(lines, x, chart.xAt(at.left + 1) - x);
    const best = nearestHit(hits, x, at.top, to);
    crosshair.value = { axis, x };
    this.#standOut(best);
    if (hits.length) showReadOut(chart.u.rect, at, hits, best, axis);
    else hideReadOut();
  }

  /** @param {Hit | null} hit */
  #standOut(hit) {
    this.chart.layer?.standOutLine(hit?.line ?? null);
    this.chart.layer?.mark(hit && { x: hit.line.xs[hit.index], y: hit.line.ys[hit.index] });
  }

  #hide() {
    this.#inside = false;
    crosshair.value = null;
    this.#standOut(null);
    hideReadOut();
  }
}
