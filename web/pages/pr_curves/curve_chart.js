// A chart of precision over recall: the curves of all runs, marked at the threshold that is read.

import { effect, signal } from "@preact/signals-core";
import { html, nothing, render, svg } from "lit-html";
import { DASHES } from "../../data/colours/run_styles.js";
import { hoveredRun } from "../../data/view/pointer.js";
import { nearestPoint, pathOf, pointAt, thresholdBeside, thresholdsOf } from "./model/curves.js";
import { chooseThreshold, chosenThreshold, pointedThreshold, threshold } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./model/curves.js").CurvePoint} CurvePoint */
/** @typedef {{run: string, style: import("../../data/colours/run_styles.js").LineStyle, points: CurvePoint[]}} Curve */

const MARGIN = { left: 46, right: 12, top: 8, bottom: 36 };
const TICKS = [0, 0.25, 0.5, 0.75, 1];
/** Thresholds that a key moves by. @type {Record<string, number>} */
const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };

class CurveChart extends HTMLElement {
  tag = "";
  /** @type {import("@preact/signals-core").Signal<Curve[]>} */
  #curves = signal([]);
  #size = signal({ width: 0, height: 0 });
  #observer = new ResizeObserver(([{ contentRect }]) => {
    const { width, height } = contentRect;
    const before = this.#size.peek();
    if (width !== before.width || height !== before.height) this.#size.value = { width, height };
  });
  #end = () => {};

  /** @param {Curve[]} curves */
  set curves(curves) {
    this.#curves.value = curves;
  }

  connectedCallback() {
    this.tabIndex = 0;
    this.setAttribute("role", "slider");
    this.setAttribute("aria-valuemin", "0");
    this.setAttribute("aria-valuemax", "1");
    this.onpointermove = (/** @type {PointerEvent} */ event) => this.#pointed(event);
    this.onpointerleave = () => (pointedThreshold.value = null);
    this.onclick = () => pointedThreshold.peek() !== null && chooseThreshold(threshold.peek());
    this.onkeydown = (/** @type {KeyboardEvent} */ event) => this.#keyPressed(event);
    this.#observer.observe(this);
    this.#end = effect(() => this.#draw());
  }

  disconnectedCallback() {
    this.#observer.disconnect();
    this.#end();
  }

  #draw() {
    const { width, height } = this.#size.value;
    this.setAttribute("aria-label", t("pr.chart", { tag: this.tag }));
    this.setAttribute("aria-valuenow", String(threshold.value));
    this.setAttribute("aria-valuetext", t("pr.at", { threshold: String(threshold.value) }));
    if (!width) return;
    render(chart(this.#curves.value, threshold.value, width, height), this);
    this.dataset.curves = String(this.#curves.value.length);
  }

  /** @param {PointerEvent} event */
  #pointed({ clientX, clientY }) {
    const { left, top } = this.getBoundingClientRect();
    const area = areaOf(this.#size.peek().width, this.#size.peek().height);
    const place = {
      recall: (clientX - left - MARGIN.left) / area.width,
      precision: 1 - (clientY - top - MARGIN.top) / area.height,
    };
    const curves = this.#curves.peek().map(({ points }) => points);
    pointedThreshold.value = nearestPoint(curves, place, area)?.threshold ?? null;
  }

  /** @param {KeyboardEvent} event */
  #keyPressed(event) {
    const thresholds = thresholdsOf(this.#curves.peek().map(({ points }) => points));
    const by = KEYS[event.key];
    const chosen = { Home: thresholds[0], End: thresholds.at(-1) }[event.key];
    if (by === undefined && chosen === undefined) return;
    event.preventDefault();
    pointedThreshold.value = null;
    chooseThreshold(chosen ?? thresholdBeside(thresholds, chosenThreshold.peek(), by));
  }
}

/** Is another of the curves pointed at in a list of runs? @param {string} run @param {Curve[]} curves */
const isDimmed = (run, curves) => hoveredRun.value !== run && curves.some((curve) => curve.run === hoveredRun.value);

/** The size of the area in which curves are drawn. @param {number} width @param {number} height */
const areaOf = (width, height) => ({
  width: Math.max(1, width - MARGIN.left - MARGIN.right),
  height: Math.max(1, height - MARGIN.top - MARGIN.bottom),
});

/** @param {Curve[]} curves @param {number} at the threshold @param {number} width @param {number} height */
function chart(curves, at, width, height) {
  const area = areaOf(width, height);
  const left = (/** @type {number} */ recall) => MARGIN.left + recall * area.width;
  const top = (/** @type {number} */ precision) => MARGIN.top + (1 - precision) * area.height;
  const bottom = top(0);
  return html`<svg width=${width} height=${height} aria-hidden="true">
    ${TICKS.map(
      (tick) => svg`
        <path class="pr-grid" d="M${left(0)} ${top(tick)}H${left(1)}M${left(tick)} ${top(0)}V${top(1)}"/>
        <text x=${left(0) - 6} y=${top(tick) + 4} text-anchor="end">${tick}</text>
        <text x=${left(tick)} y=${bottom + 14} text-anchor="middle">${tick}</text>`,
    )}
    <text class="pr-axis" x=${left(0.5)} y=${height - 4} text-anchor="middle">${t("pr.recall")}</text>
    <text class="pr-axis" transform="translate(11 ${top(0.5)}) rotate(-90)"
      text-anchor="middle">${t("pr.precision")}</text>
    ${curves.map(
      ({
        run,
        style,
        points,
      }) => svg`<path class="pr-line" data-run=${run} data-dimmed=${isDimmed(run, curves)} d=${pathOf(points, { left, top })}
        stroke="var(--run-${style.colour + 1})" stroke-dasharray=${DASHES[style.dash].join(" ") || nothing}/>`,
    )}
    ${curves.map(({ style, points }) => mark(pointAt(points, at), style, left, top))}
  </svg>`;
}

/** @param {CurvePoint | undefined} point @param {import("../../data/colours/run_styles.js").LineStyle} style
 * @param {(recall: number) => number} left @param {(precision: number) => number} top */
const mark = (point, style, left, top) =>
  point && Number.isFinite(point.recall) && Number.isFinite(point.precision)
    ? svg`<circle class="pr-mark" cx=${left(point.recall)} cy=${top(point.precision)} r="4"
        fill="var(--run-${style.colour + 1})"/>`
    : nothing;

customElements.define("curve-chart", CurveChart);
