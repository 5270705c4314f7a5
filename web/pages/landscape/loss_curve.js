// The loss curve of the shown runs, with the range covered by each landscape and the current position.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { heightAt, nearest } from "../../charts/binary_search.js";
import { xExtent, yExtent } from "../../charts/extent.js";
import { LineChart } from "../../charts/line_chart.js";
import { tokens } from "../../charts/theme.js";
import { LazyCard } from "../../controls/lazy_card.js";
import { shortNameOf } from "../../controls/run_name.js";
import { styles } from "../../data/runs/runs.js";
import { xsOf } from "../../data/series/series.js";
import { change, logarithmic, theme, zooms } from "../../data/view/view.js";
import { language } from "../../i18n/language.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { landscapes } from "./model/landscapes.js";
import { lossCurves, lossTag } from "./model/run_scalars.js";
import { pointedMoment } from "./pointer.js";
import { moment, setMoment } from "./settings.js";
import { inSteps, stop } from "./timeline.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/plot.js").Line} Line */
/** @typedef {import("../../charts/plot.js").Plot} Plot */

const DEFAULT_STYLE = { colour: 0, dash: 0 };
/** Dash style of the losses on the surface. */
const DASH = 2;

/** The loss curves, and as dashed lines the losses of the checkpoints in the landscapes. @returns {Line[]} */
function lines() {
  const curves = lossCurves.value.map((series) => {
    const style = styles.value.get(series.run) ?? DEFAULT_STYLE;
    return {
      run: series.run,
      key: JSON.stringify([series.run]),
      style,
      xs: xsOf(series, "step", 0),
      ys: series.value,
      raw: null,
      series,
    };
  });
  const paths = landscapes.value.flatMap(({ choice, landscape }) => {
    const path = landscape?.path;
    if (!path?.steps) return [];
    const style = { ...(styles.value.get(choice.run) ?? DEFAULT_STYLE), dash: DASH };
    const series = {
      run: choice.run,
      step: path.steps,
      wall_time: path.steps,
      value: path.z,
      smoothed: new Float64Array(0),
      total: path.z.length,
      duplicates: 0,
    };
    return [{ run: choice.run, key: JSON.stringify(choice), style, xs: path.steps, ys: path.z, raw: null, series }];
  });
  return [...curves, ...paths];
}

/** The range of steps that each landscape covers. @returns {Array<{run: string, steps: [number, number]}>} */
const coveredRanges = () =>
  landscapes.value.flatMap(({ choice: { run }, landscape }) => {
    const steps = landscape?.path?.steps;
    return steps ? [{ run, steps: [steps[0], steps[steps.length - 1]] }] : [];
  });

class LossCurve extends LazyCard {
  /** @type {LineChart | null} */
  #chart = null;
  /** The x under the pointer. @type {import("@preact/signals-core").Signal<number | null>} */
  #at = signal(null);
  #observer = new ResizeObserver(() => this.#fit());
  #pressedAt = 0;

  begin() {
    const plot = computed(() => {
      const drawn = lines();
      const x = zooms.value[lossTag.value] ?? xExtent(drawn.map(({ xs }) => xs));
      if (!x) return null;
      const log = logarithmic.value;
      const left = yExtent(
        drawn.map(({ xs, ys }) => ({ xs, columns: [ys] })),
        x,
        { log, isRobust: false },
      );
      return /** @type {Plot} */ ({ lines: drawn, axis: "step", log, x, y: { left, right: null } });
    });
    render(html`<div class="plot" role="img"></div><p class="land-curve-read meta" role="status"></p>`, this);
    const host = /** @type {HTMLElement} */ (this.querySelector(".plot"));
    host.addEventListener("pointerdown", this.#pressed);
    host.addEventListener("click", this.#clicked);
    this.#observer.observe(host);
    return [
      effect(() => {
        theme.value;
        host.setAttribute("aria-label", t("land.curve_label", { tag: lossTag.value }));
        this.#draw(plot.value, host);
      }),
      effect(() => this.#mark(plot.value)),
      effect(() => this.#showReadOut(plot.value)),
      () => this.#observer.disconnect(),
      () => host.removeEventListener("pointerdown", this.#pressed),
      () => host.removeEventListener("click", this.#clicked),
      () => this.#remove(),
    ];
  }

  #pressed = (/** @type {PointerEvent} */ event) => void (this.#pressedAt = event.clientX);
  /** A click moves the current position there; the end of a drag does not. */
  #clicked = (/** @type {MouseEvent} */ event) => {
    const at = this.#at.peek();
    if (at === null || Math.abs(event.clientX - this.#pressedAt) > 3 || !inSteps.peek()) return;
    stop();
    setMoment(Math.max(0, Math.round(at)));
  };

  /** @param {Plot | null} plot @param {HTMLElement} host */
  #draw(plot, host) {
    if (!plot) return this.#remove();
    if (this.#chart) this.#chart.draw(plot);
    else {
      this.#chart = new LineChart(host, plot, {
        zoomed: ({ x }) => x && change({ zooms: { ...zooms.peek(), [lossTag.peek()]: x } }),
        reset: () => {
          const { [lossTag.peek()]: _, ...others } = zooms.peek();
          change({ zooms: others });
        },
        pointed: (at) => void (this.#at.value = at && this.#chart ? this.#chart.xAt(at.left) : null),
      });
    }
  }

  #fit() {
    const host = /** @type {HTMLElement | null} */ (this.querySelector(".plot"));
    if (!host?.clientWidth || !this.#chart) return;
    this.#chart.resize(host.clientWidth, host.clientHeight);
    this.#mark(this.#chart.plot);
  }

  /** What is drawn, in detail. */
  debugState() {
    return {
      lines: this.#chart?.plot.lines.map(({ run, xs }) => [run, xs.length]) ?? [],
      ranges: coveredRanges().map(({ steps }) => steps),
    };
  }

  #remove() {
    this.#chart?.destroy();
    this.#chart = null;
  }

  /** Draws ranges, the current position and the pointed one over the chart. @param {Plot | null} plot */
  #mark(plot) {
    const chart = this.#chart;
    const to = chart?.layer?.to?.left;
    const now = inSteps.value ? (pointedMoment.value ?? moment.value) : null;
    const ranges = coveredRanges();
    this.dataset.moment = now === null ? "" : String(now);
    if (!chart || !to || !plot) return;
    const over = this.#overlay(chart);
    const { palette } = tokens();
    const px = (/** @type {number} */ x) => Math.max(0, Math.min(to.width, to.left(x))) / to.pixelRatio;
    const curves = plot.lines.filter(({ style }) => style.dash !== DASH);
    render(
      html`
      ${ranges.map(({ run, steps }) => {
        const [left, right] = steps.map(px);
        return html`<i class="land-range"
          style="left:${left}px;width:${Math.max(2, right - left)}px;--of:${
            palette[styles.value.get(run)?.colour ?? 0]
          }"></i>`;
      })}
      ${
        now === null
          ? nothing
          : html`<i class="land-now" style="left:${px(now)}px"></i>${curves.map(({ run, xs, ys, style }) => {
              const top = to.top(heightAt(xs, ys, now)) / to.pixelRatio;
              return Number.isFinite(top)
                ? html`<i class="land-now-dot" data-run=${run}
                  style="left:${px(now)}px;top:${top}px;background:${palette[style.colour]}"></i>`
                : nothing;
            })}`
      }`,
      over,
    );
  }

  /** @param {LineChart} chart its plot area is created again if the kind of chart changes @returns {HTMLElement} */
  #overlay(chart) {
    const existing = /** @type {HTMLElement | null} */ (chart.u.over.querySelector(".land-overlay"));
    if (existing) return existing;
    const overlay = Object.assign(document.createElement("div"), { className: "land-overlay" });
    chart.u.over.append(overlay);
    return overlay;
  }

  /** @param {Plot | null} plot */
  #showReadOut(plot) {
    language.value;
    const at = this.#at.value ?? (inSteps.value ? (pointedMoment.value ?? moment.value) : null);
    this.#chart?.showCrosshair(this.#at.value);
    const out = /** @type {HTMLElement | null} */ (this.querySelector(".land-curve-read"));
    if (!out || !plot) return;
    const curves = plot.lines.filter(({ style }) => style.dash !== DASH);
    const parts =
      at === null
        ? []
        : curves.flatMap(({ run, xs, ys }) => {
            const index = nearest(xs, at);
            return index < 0
              ? []
              : [
                  `${
                    curves.length > 1 ? `${shortNameOf(run)} ` : ""
                  }${shortNumber(ys[index], 4)} (${t("step.at", { step: grouped(xs[index]) })})`,
                ];
          });
    out.textContent =
      parts.join(" · ") ||
      t(landscapes.value.some(({ landscape }) => landscape?.truth) ? "land.curve_hint_real" : "land.curve_hint");
  }
}

customElements.define("landscape-loss", LossCurve);
