// How the shown landscapes are drawn: heights on one scale for all, contour levels and colours.

import { computed } from "@preact/signals-core";
import { crop, decimate, heightOf, lossOf, refine } from "../../../charts/landscape/grid.js";
import { contourLevels } from "../../../charts/landscape/levels.js";
import { colourOf } from "../../../charts/landscape/scales.js";
import { theme } from "../../../data/view/view.js";
import { shortNumber } from "../../../i18n/numbers.js";
import { between, clip, colours, count, scale, view } from "../settings.js";
import { quantileOf } from "./clip.js";
import { landscapes } from "./landscapes.js";
import { surfaceOf } from "./plane.js";
import { noiseOf } from "./trust.js";

/** @typedef {import("./landscape.js").Landscape} Landscape */
/** @typedef {import("../../../charts/landscape/grid.js").Grid} Grid */
/** @typedef {import("../../../charts/landscape/grid.js").HeightScale} HeightScale */

/** The height scale, shared by all shown landscapes.
 * @typedef {object} Heights
 * @property {HeightScale} scale
 * @property {readonly [number, number]} range
 * @property {boolean} isClipped are there heights above the range? The surface is cut off there
 * @property {number[]} levels
 * @property {(height: number) => string} area colour of a height for areas and surfaces
 * @property {(height: number) => string} line colour of a height for lines */

/** How one landscape is drawn.
 * @typedef {object} Model
 * @property {Landscape} landscape
 * @property {Grid} drawn the grid of the file, refined or decimated
 * @property {{columns: number, rows: number}} points of the file in the drawn part
 * @property {number} dropped losses without a height on the scale
 * @property {number} nonFinite losses
 * @property {number} clipped losses above the range
 * @property {Heights} heights */

/** Larger grids are decimated to this many points along an axis. */
const MOST = 129;
/** Smaller grids are refined to this many points along an axis. */
const FINE = 65;
/** Extra points around a zoomed part, so that interpolation at its edges is that of the whole grid. */
const MARGIN = 2;

/** @type {Landscape[]} */
let previousDrawable = [];
/** The landscapes that can be drawn. Returns the same array while they stay the same: a live run is updated several
 * times a second. */
const drawable = computed(() => {
  const current = landscapes.value.flatMap(({ landscape }) =>
    landscape && !landscape.error && landscape.tally.lowestAt >= 0 ? [landscape] : [],
  );
  const isSame =
    current.length === previousDrawable.length &&
    current.every((landscape, place) => landscape === previousDrawable[place]);
  return isSame ? previousDrawable : (previousDrawable = current);
});

/** The selected scale; linear if no loss is positive. */
const scaleInUse = computed(() =>
  scale.value === "log" && drawable.value.some(({ tally }) => tally.loAboveZero < Infinity) ? "log" : "linear",
);

/** The drawn grids, computed again only if the landscapes, the scale or the interpolation change. */
const grids = computed(
  () =>
    new Map(
      drawable.value.map((landscape) => [landscape, drawnOf(landscape, scaleInUse.value, between.value === "curved")]),
    ),
);

/** @param {{x: Float64Array, y: Float64Array, z: Float64Array}} surface @param {HeightScale} scale
 * @param {boolean} isCurved @returns {Grid} */
function drawnOf({ x, y, z }, scale, isCurved) {
  const coarse = decimate({ x, y, heights: z }, MOST);
  const grid = { ...coarse, heights: coarse.heights.map((loss) => heightOf(loss, scale)) };
  const cells = Math.max(coarse.x.length, coarse.y.length) - 1;
  return isCurved && Math.min(coarse.x.length, coarse.y.length) > 1
    ? refine(grid, Math.ceil((FINE - 1) / cells))
    : grid;
}

/** Minimum height range of a flat landscape in standard errors, so that noise is not drawn as mountains. */
const MIN_ERRORS = 16;

/** Are all landscapes flat within the noise of differences? @param {Landscape[]} all */
const areFlat = (all) => all.every(({ diagnostics }) => diagnostics?.isFlat && diagnostics.differingNodes !== null);

/** The lowest and highest height; null if no loss has a height.
 * @param {Landscape[]} all @param {HeightScale} scale @returns {[number, number] | null} */
function heightRange(all, scale) {
  const lo = Math.min(...all.map(({ tally }) => (scale === "log" ? tally.loAboveZero : tally.lo)));
  const hi = Math.max(...all.map(({ tally }) => tally.hi));
  if (!(lo <= hi)) return null;
  const padding = areFlat(all) ? Math.max(0, (MIN_ERRORS * Math.max(...all.map(noiseOf)) - (hi - lo)) / 2) : 0;
  return [
    heightOf(scale === "log" ? Math.max(lo / 2, lo - padding) : lo - padding, scale),
    heightOf(hi + padding, scale),
  ];
}

/** The height at which the scale is clipped; Infinity without clipping and for flat landscapes. A surface shared by
 * several runs counts once. */
const top = computed(() => {
  if (clip.value === "off" || areFlat(drawable.value)) return Infinity;
  const surfaces = [...Map.groupBy(drawable.value, surfaceOf).values()].map(([{ z }]) => z);
  return heightOf(quantileOf(surfaces, scaleInUse.value, Number(clip.value) / 100), scaleInUse.value);
});

/** @type {import("@preact/signals-core").ReadonlySignal<Heights>} */
export const heights = computed(() => {
  const [lo, highest] = heightRange(drawable.value, scaleInUse.value) ?? [0, 1];
  // If nearly all losses equal the lowest, clipping would leave no range.
  const isClipped = top.value > lo && top.value < highest;
  const hi = isClipped ? top.value : highest;
  const range = /** @type {const} */ ([lo, hi]);
  const share = (/** @type {number} */ height) => (hi > lo ? (height - lo) / (hi - lo) : 0.5);
  const isDark = theme.value === "dark";
  const name = colours.value;
  return {
    scale: scaleInUse.value,
    range,
    isClipped,
    levels: contourLevels(range, Number(count.value), scaleInUse.value),
    area: (height) => colourOf(name, share(height), "area", isDark),
    line: (height) => colourOf(name, share(height), "line", isDark),
  };
});

/** @type {import("@preact/signals-core").ReadonlySignal<Map<Landscape, Model>>} */
export const models = computed(
  () => new Map([...grids.value].map(([landscape, drawn]) => [landscape, modelOf(landscape, drawn, heights.value)])),
);

/** @param {Landscape} landscape @param {Grid} drawn @param {Heights} all @returns {Model} */
const modelOf = (landscape, drawn, all) => ({
  landscape,
  drawn,
  points: { columns: landscape.x.length, rows: landscape.y.length },
  heights: all,
  nonFinite: landscape.tally.nonFinite,
  dropped: all.scale === "log" ? landscape.tally.notPositive : 0,
  clipped: all.isClipped
    ? landscape.z.reduce((count, loss) => count + Number(heightOf(loss, all.scale) > all.range[1]), 0)
    : 0,
});

/** Returns the model of a zoomed part, at the full resolution that the whole grid may exceed.
 * @param {Model} model @param {import("../settings.js").Zoom | null} part @returns {Model} */
export function zoomedModel(model, part) {
  if (!part) return model;
  const {
    landscape: { x, y, z },
    heights: { scale },
  } = model;
  const [left, right, bottom, top] = part;
  const all = crop({ x, y, heights: z }, [left, right], [bottom, top], MARGIN);
  return {
    ...model,
    points: { columns: all.x.length, rows: all.y.length },
    drawn: drawnOf({ x: all.x, y: all.y, z: all.heights }, scale, between.value === "curved"),
  };
}

/** The height range of one landscape. @param {Model} model */
export const heightRangeOf = ({ landscape, heights: { scale, range } }) => heightRange([landscape], scale) ?? range;

/** @param {number} height @param {HeightScale} heightScale */
export const lossText = (height, heightScale) => shortNumber(lossOf(height, heightScale), 3);

/** The label at the top of the scale. @param {Heights} all */
export const topText = ({ scale, range: [, hi], isClipped }) => `${isClipped ? "> " : ""}${lossText(hi, scale)}`;

/** The colour bands between the levels, lowest first. @param {Heights} all
 * @returns {Array<{from: number, to: number, colour: string}>} */
export function bandsOf({ range: [lo, hi], levels, area }) {
  const bounds = [lo, ...levels.filter((level) => level > lo && level < hi), hi];
  return bounds
    .slice(0, -1)
    .map((from, place) => ({ from, to: bounds[place + 1], colour: area((from + bounds[place + 1]) / 2) }));
}

/** Does the view include a surface? */
export const hasSurface = computed(() => view.value === "surface" || view.value === "both");
/** Does the view include a map? */
export const hasMap = computed(() => view.value !== "surface");
