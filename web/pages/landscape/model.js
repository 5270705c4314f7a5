// What is drawn of the landscapes that are shown: heights on one scale for all, their levels, their colours.

import { computed } from "@preact/signals-core";
import { cropped, heightOf, lossOf, refined, thinned } from "../../charts/landscape/grid.js";
import { levelsOf } from "../../charts/landscape/levels.js";
import { colourOf } from "../../charts/landscape/scales.js";
import { theme } from "../../data/view.js";
import { shortNumber } from "../../i18n/numbers.js";
import { quantileOf } from "./model/clip.js";
import { landscapes } from "./model/landscapes.js";
import { surfaceOf } from "./model/plane.js";
import { noiseOf } from "./model/trust.js";
import { between, clip, colours, count, scale, view } from "./settings.js";

/** @typedef {import("./model/landscape.js").Landscape} Landscape */
/** @typedef {import("../../charts/landscape/grid.js").Grid} Grid */
/** @typedef {import("../../charts/landscape/grid.js").HeightScale} HeightScale */

/** One scale of heights for all landscapes that are shown.
 * @typedef {object} Heights
 * @property {HeightScale} scale
 * @property {readonly [number, number]} reach
 * @property {boolean} isClipped are there heights above the reach? The surface ends at its top
 * @property {number[]} levels
 * @property {(height: number) => string} area the colour of a height, of an area or a surface
 * @property {(height: number) => string} line of a line
 */

/** What is drawn of one landscape.
 * @typedef {object} Model
 * @property {Landscape} landscape
 * @property {Grid} drawn the points of the file with others between them, or without some of them
 * @property {{columns: number, rows: number}} points of the file, in the part that is drawn
 * @property {number} dropped losses that have no place on the scale
 * @property {number} nonFinite losses that are no finite numbers
 * @property {number} clipped losses above the scale
 * @property {Heights} heights
 */

/** Points along an axis beyond which every so many-th is drawn. */
const MOST = 129;
/** Points along an axis that a smooth picture needs. */
const FINE = 65;
/** Points beside a part, by which the curve at its edges is that of the whole. */
const MARGIN = 2;

/** @type {Landscape[]} */
let soundBefore = [];
/** Those that can be drawn; told only when they change: a run that is being written is told of several times a
 * second. */
const sound = computed(() => {
  const now = landscapes.value.flatMap(({ landscape }) =>
    landscape && !landscape.error && landscape.tally.lowestAt >= 0 ? [landscape] : [],
  );
  const isSame = now.length === soundBefore.length && now.every((landscape, place) => landscape === soundBefore[place]);
  return isSame ? soundBefore : (soundBefore = now);
});

/** Logarithms, unless not one loss is above zero. */
const scaleInUse = computed(() =>
  scale.value === "log" && sound.value.some(({ tally }) => tally.loAboveZero < Infinity) ? "log" : "linear",
);

/** Grids are made once of each landscape: made again when it, the scale, or the points between are. */
const grids = computed(
  () =>
    new Map(
      sound.value.map((landscape) => [landscape, drawnOf(landscape, scaleInUse.value, between.value === "curved")]),
    ),
);

/** @param {{x: Float64Array, y: Float64Array, z: Float64Array}} surface @param {HeightScale} scale
 * @param {boolean} isCurved @returns {Grid} */
function drawnOf({ x, y, z }, scale, isCurved) {
  const few = thinned({ x, y, heights: z }, MOST);
  const grid = { ...few, heights: few.heights.map((loss) => heightOf(loss, scale)) };
  const cells = Math.max(few.x.length, few.y.length) - 1;
  return isCurved && Math.min(few.x.length, few.y.length) > 1 ? refined(grid, Math.ceil((FINE - 1) / cells)) : grid;
}

/** Standard errors that a landscape is high at least: noise is not drawn as mountains. */
const LEAST_ERRORS = 16;

/** Is there nothing but noise? @param {Landscape[]} all */
const areFlat = (all) => all.every(({ diagnostics }) => diagnostics?.isFlat);

/** Lowest and highest of all heights; null when none has one.
 * @param {Landscape[]} all @param {HeightScale} scale @returns {[number, number] | null} */
function reachOf(all, scale) {
  const lo = Math.min(...all.map(({ tally }) => (scale === "log" ? tally.loAboveZero : tally.lo)));
  const hi = Math.max(...all.map(({ tally }) => tally.hi));
  if (!(lo <= hi)) return null;
  const air = areFlat(all) ? Math.max(0, (LEAST_ERRORS * Math.max(...all.map(noiseOf)) - (hi - lo)) / 2) : 0;
  return [heightOf(scale === "log" ? Math.max(lo / 2, lo - air) : lo - air, scale), heightOf(hi + air, scale)];
}

/** Where the scale ends when it is clipped; Infinity when it is not, and of noise. A surface of several runs counts
 * once. */
const top = computed(() => {
  if (clip.value === "off" || areFlat(sound.value)) return Infinity;
  const surfaces = [...Map.groupBy(sound.value, surfaceOf).values()].map(([{ z }]) => z);
  return heightOf(quantileOf(surfaces, scaleInUse.value, Number(clip.value) / 100), scaleInUse.value);
});

/** @type {import("@preact/signals-core").ReadonlySignal<Heights>} */
export const heights = computed(() => {
  const [lo, highest] = reachOf(sound.value, scaleInUse.value) ?? [0, 1];
  // Where nearly all losses are the lowest one, no scale would be left.
  const isClipped = top.value > lo && top.value < highest;
  const hi = isClipped ? top.value : highest;
  const reach = /** @type {const} */ ([lo, hi]);
  const share = (/** @type {number} */ height) => (hi > lo ? (height - lo) / (hi - lo) : 0.5);
  const isDark = theme.value === "dark";
  const name = colours.value;
  return {
    scale: scaleInUse.value,
    reach,
    isClipped,
    levels: levelsOf(reach, Number(count.value), scaleInUse.value),
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
    ? landscape.z.reduce((count, loss) => count + Number(heightOf(loss, all.scale) > all.reach[1]), 0)
    : 0,
});

/** What is drawn of a part: points that all of it has no room for.
 * @param {Model} model @param {import("./settings.js").Zoom | null} part @returns {Model} */
export function detailed(model, part) {
  if (!part) return model;
  const {
    landscape: { x, y, z },
    heights: { scale },
  } = model;
  const [left, right, bottom, top] = part;
  const all = cropped({ x, y, heights: z }, [left, right], [bottom, top], MARGIN);
  return {
    ...model,
    points: { columns: all.x.length, rows: all.y.length },
    drawn: drawnOf({ x: all.x, y: all.y, z: all.heights }, scale, between.value === "curved"),
  };
}

/** The lowest and highest loss of one landscape, as they are on the scale. @param {Model} model */
export const ownReach = ({ landscape, heights: { scale, reach } }) => reachOf([landscape], scale) ?? reach;

/** @param {number} height @param {HeightScale} scaleOfIt */
export const lossText = (height, scaleOfIt) => shortNumber(lossOf(height, scaleOfIt), 3);

/** What stands at the top of the scale. @param {Heights} all */
export const topText = ({ scale, reach: [, hi], isClipped }) => `${isClipped ? "> " : ""}${lossText(hi, scale)}`;

/** Bands between the levels, from the lowest loss to the highest. @param {Heights} all
 * @returns {Array<{from: number, to: number, colour: string}>} */
export function bandsOf({ reach: [lo, hi], levels, area }) {
  const bounds = [lo, ...levels.filter((level) => level > lo && level < hi), hi];
  return bounds
    .slice(0, -1)
    .map((from, place) => ({ from, to: bounds[place + 1], colour: area((from + bounds[place + 1]) / 2) }));
}

/** Is there a surface, by itself or beside the map? */
export const hasSurface = computed(() => view.value === "surface" || view.value === "both");
/** Is there a map where the surface is? */
export const hasMap = computed(() => view.value !== "surface");
