// Slices: the loss along each axis through the cursor, and along the training path.

import { effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { nearest } from "../../charts/binary_search.js";
import { heightAt, lossOf } from "../../charts/landscape/grid.js";
import { extentOf } from "../../charts/landscape/map.js";
import { tokens } from "../../charts/theme.js";
import { LazyCard } from "../../controls/lazy_card.js";
import { theme } from "../../data/view/view.js";
import { language } from "../../i18n/language.js";
import { coordinate } from "./captions.js";
import { sliceChart, sliceFrame } from "./draw/slice.js";
import { heights, lossText, models } from "./model/drawing.js";
import { landscapes } from "./model/landscapes.js";
import { isLine, planeOf } from "./model/plane.js";
import { lossRange, parabola, sliceAlong, slicesOfPath } from "./model/slices.js";
import { colourOf, panes } from "./panes.js";
import { pointedMoment, pointedPlace, sliced } from "./pointer.js";
import { moment } from "./settings.js";
import { inSteps } from "./timeline.js";
import { t } from "./words.js";

/** @typedef {import("./model/drawing.js").Model} Model */
/** @typedef {import("./draw/slice.js").Line} Line */
/** @typedef {import("../../charts/landscape/map.js").Frame} Frame */

const HEIGHT = 104;
const STEEPEST = "2 3";
const PLANE = "5 3";

/** One slice chart.
 * @typedef {{key: "x" | "y" | "path", title: string, lines: Line[], extent: [number, number], cursor: number |
 * null}} Chart */

/** Renders separately from the page, since the cursor changes with every pointer move. */
class LandscapeSlices extends LazyCard {
  #width = signal(0);
  #observer = new ResizeObserver(() => (this.#width.value = this.clientWidth));

  begin() {
    this.#observer.observe(this);
    return [
      effect(() => {
        theme.value;
        language.value;
        const width = this.#width.value;
        if (width) render(this.#charts(width), this);
      }),
      () => this.#observer.disconnect(),
    ];
  }

  /** @param {number} width */
  #charts(width) {
    const place = sliced.value;
    const all = landscapes.value.flatMap(({ landscape }) => (landscape && models.value.get(landscape)) ?? []);
    const drawing = new Set(panes.value.map(([first]) => first.landscape));
    const cut = place
      ? all.filter(({ landscape }) => drawing.has(landscape) && planeOf(landscape) === place.plane)
      : [];
    const charts = [
      ...(place && cut.length
        ? [
            alongAxis("x", cut, place),
            ...(cut.every(({ landscape }) => isLine(landscape)) ? [] : [alongAxis("y", cut, place)]),
          ]
        : []),
      alongPath(all),
    ].filter((chart) => chart !== null);
    return html`${charts.map((chart) => this.#chart(chart, width))}${
      cut.length
        ? html`<p class="meta">${t(
            cut.some(({ landscape }) => landscape.measured?.differenceError)
              ? "land.slice_differences"
              : "land.slice_hint",
          )}${
            charts.some(({ lines }) => lines.some(({ dash }) => dash === STEEPEST)) ? ` ${t("land.slice_worst")}` : ""
          }</p>`
        : nothing
    }`;
  }

  /** What is drawn, in detail. */
  debugState() {
    const place = sliced.peek();
    return { through: place && [place.x, place.y] };
  }

  /** @param {Chart} chart @param {number} width */
  #chart(chart, width) {
    const size = { width, height: HEIGHT };
    const { scale } = heights.value;
    const seen = chart.lines.filter(({ dash }) => dash !== STEEPEST).map(({ slice }) => slice);
    const frame = sliceFrame(
      size,
      chart.extent,
      lossRange(scale === "log" ? seen.map(positivePart) : seen) ?? [0, 1],
      scale,
    );
    return html`<figure data-slice=${chart.key} data-cursor=${chart.cursor ?? ""}
      @pointermove=${(/** @type {PointerEvent} */ event) => pointed(chart, frame, event)} @pointerleave=${pointerLeft}>
      <figcaption>${chart.title}</figcaption>${sliceChart(
        chart.lines,
        frame,
        size,
        scale,
        chart.cursor,
        (height) => lossText(height, scale),
        tokens(),
        `land-slice-${chart.key}`,
      )}</figure>`;
  }
}

/** @param {import("./model/slices.js").Slice} slice */
const positivePart = (slice) => ({
  ...slice,
  losses: slice.losses.map((loss) => (loss > 0 ? loss : NaN)),
  errors: slice.errors.map((error, at) => (error < slice.losses[at] ? error : 0)),
});

/** @param {"x" | "y"} axis @param {Model[]} models not empty @param {import("./pointer.js").Place} through
 * @returns {Chart} */
function alongAxis(axis, models, through) {
  const other = axis === "x" ? "y" : "x";
  const lines = models.map(({ landscape, drawn, heights: { scale } }) => ({
    slice: sliceAlong(landscape, drawn, (height) => lossOf(height, scale), axis, through),
    colour: colourOf(landscape.run),
    dash: "",
    name: landscape.run,
  }));
  const steepestLine = models.length === 1 && through[other] === 0 ? steepestAlong(models[0], axis) : [];
  return {
    key: axis,
    title: t("land.slice_along", { axis, other, at: coordinate(through[other]) }),
    lines: [...lines, ...steepestLine],
    extent: extentOf(models[0].landscape[axis]),
    cursor: through[axis],
  };
}

/** A parabola with the curvature of the steepest direction, which the plane may not contain. @param {Model} model
 * @param {"x" | "y"} axis @returns {Line[]} */
function steepestAlong({ landscape: { diagnostics }, drawn, heights: { scale } }, axis) {
  const steepest = diagnostics?.eigenvalues.length ? Math.max(...diagnostics.eigenvalues) : 0;
  const minimum = lossOf(heightAt(drawn, 0, 0), scale);
  if (!(steepest > 0) || Number.isNaN(minimum)) return [];
  // Finer than the grid, which would miss a narrow parabola.
  const [lo, hi] = extentOf(drawn[axis]);
  const at = Float64Array.from({ length: FINE + 1 }, (_, step) => lo + ((hi - lo) * step) / FINE);
  return [
    {
      slice: parabola(at, minimum, steepest, diagnostics?.axisLengths[axis === "x" ? 0 : 1] ?? 1),
      colour: tokens().label,
      dash: STEEPEST,
      name: "steepest",
      width: 1.2,
    },
  ];
}
const FINE = 400;

/** @param {Model[]} models @returns {Chart | null} */
function alongPath(models) {
  const paths = models.flatMap(({ landscape }) => {
    const slices = slicesOfPath(landscape);
    return slices ? [{ run: landscape.run, ...slices }] : [];
  });
  if (!paths.length) return null;
  const lines = paths.flatMap(({ run, real, plane }) => [
    ...(plane ? [{ slice: plane, colour: colourOf(run), dash: PLANE, name: `${run} plane`, width: 1.4 }] : []),
    ...(real
      ? [{ slice: real, colour: colourOf(run), dash: "", name: `${run} real`, hasDots: real.at.length < 60 }]
      : []),
  ]);
  const ends = lines.flatMap(({ slice: { at } }) => [at[0], at[at.length - 1]]);
  const hasTruth = paths.some(({ real }) => real);
  return {
    key: "path",
    title: t(hasTruth ? "land.slice_path" : "land.slice_path_plane", {
      unit: t(inSteps.value ? "land.slice_steps" : "land.slice_checkpoints"),
    }),
    lines,
    extent: [Math.min(...ends), Math.max(...ends)],
    cursor: pointedMoment.value ?? moment.value,
  };
}

/** @param {Chart} chart @param {Frame} frame @param {PointerEvent} event */
function pointed(chart, frame, event) {
  const box = /** @type {HTMLElement} */ (event.currentTarget).querySelector("svg")?.getBoundingClientRect();
  const place = sliced.peek();
  if (!box) return;
  const at = frame.x[0] + ((event.clientX - box.left - frame.left) / frame.width) * (frame.x[1] - frame.x[0]);
  const inside = Math.max(Math.min(...frame.x), Math.min(Math.max(...frame.x), at));
  if (chart.key !== "path") return void (pointedPlace.value = place && { ...place, [chart.key]: inside });
  const [{ slice }] = chart.lines;
  const checkpoint = nearest(slice.at, inside);
  const path = landscapes.peek().find(({ landscape }) => landscape?.path?.x.length)?.landscape;
  if (checkpoint < 0 || !path?.path) return;
  pointedMoment.value = inSteps.peek() ? slice.at[checkpoint] : null;
  pointedPlace.value = { plane: planeOf(path), x: path.path.x[checkpoint], y: path.path.y[checkpoint] };
}

function pointerLeft() {
  pointedPlace.value = null;
  pointedMoment.value = null;
}

customElements.define("landscape-slices", LandscapeSlices);
