// What is drawn of the landscapes that are shown: heights on one scale for all, their levels, their colours.

import { computed } from "@preact/signals-core";
import { cropped, gridOf, lossOf, reachOf, refined, thinned } from "../../lib/landscape_grid.js";
import { levelsOf } from "../../lib/landscape_levels.js";
import { colourOf } from "../../lib/landscape_scales.js";
import { shortNumber } from "../../lib/numbers.js";
import { landscapes } from "../../state/landscapes.js";
import { theme } from "../../state/view.js";
import { between, colours, count, scale, view } from "./settings.js";

/** @typedef {import("../../state/landscapes.js").Landscape} Landscape */
/** @typedef {import("../../lib/landscape_grid.js").Grid} Grid */
/** @typedef {import("../../lib/landscape_grid.js").HeightScale} HeightScale */

/** One scale of heights for all landscapes that are shown.
 * @typedef {object} Heights
 * @property {HeightScale} scale
 * @property {readonly [number, number]} reach
 * @property {number[]} levels
 * @property {(height: number) => string} area the colour of a height, of an area or a surface
 * @property {(height: number) => string} line of a line
 */

/** What is drawn of one landscape.
 * @typedef {object} Model
 * @property {Landscape} landscape
 * @property {Grid} measured at the points of the file
 * @property {Grid} drawn with points between them, or without some of them
 * @property {number} dropped losses that have no place on the scale
 * @property {number} nonFinite losses that are no finite numbers
 * @property {Heights} heights
 */

/** Points along an axis beyond which every so many-th is drawn. */
const MOST = 129;
/** Points along an axis that a smooth picture needs. */
const FINE = 81;

/** @type {Landscape[]} */
let soundBefore = [];
/** Those that can be drawn; told only when they change: a run that is being written is told of several times a second. */
const sound = computed(() => {
  const now = landscapes.value.flatMap(({ landscape }) => (landscape && !landscape.error && landscape.z.length ? [landscape] : []));
  const isSame = now.length === soundBefore.length && now.every((landscape, place) => landscape === soundBefore[place]);
  return isSame ? soundBefore : (soundBefore = now);
});

/** Logarithms, unless not one loss is above zero. */
const scaleInUse = computed(() => (scale.value === "log" && sound.value.some(({ z }) => z.some((loss) => loss > 0 && loss < Infinity)) ? "log" : "linear"));

/** Grids are made once of each landscape: made again when it, the scale, or the points between are. */
const grids = computed(() => new Map(sound.value.map((landscape) => [landscape, gridsOf(landscape, scaleInUse.value, between.value === "curved")])));

/** @param {Landscape} landscape @param {HeightScale} scale @param {boolean} isCurved */
function gridsOf(landscape, scale, isCurved) {
  const measured = gridOf(landscape, scale);
  const few = thinned(measured, MOST);
  const longest = Math.max(few.x.length, few.y.length) - 1;
  const drawn = isCurved && Math.min(few.x.length, few.y.length) > 1 ? refined(few, Math.ceil(FINE / Math.max(1, longest))) : few;
  const nonFinite = landscape.z.reduce((sum, loss) => sum + Number(!Number.isFinite(loss)), 0);
  const missing = measured.heights.reduce((sum, height) => sum + Number(Number.isNaN(height)), 0);
  return { measured, drawn, nonFinite, dropped: missing - nonFinite };
}

/** @type {import("@preact/signals-core").ReadonlySignal<Heights>} */
export const heights = computed(() => {
  const [lo, hi] = reachOf([...grids.value.values()].map(({ measured }) => measured)) ?? [0, 1];
  const reach = /** @type {const} */ ([lo, hi]);
  const share = (/** @type {number} */ height) => (hi > lo ? (height - lo) / (hi - lo) : 0.5);
  const isDark = theme.value === "dark";
  const name = colours.value;
  return {
    scale: scaleInUse.value,
    reach,
    levels: levelsOf(reach, Number(count.value), scaleInUse.value),
    area: (height) => colourOf(name, share(height), "area", isDark),
    line: (height) => colourOf(name, share(height), "line", isDark),
  };
});

/** @type {import("@preact/signals-core").ReadonlySignal<Map<Landscape, Model>>} */
export const models = computed(() => new Map([...grids.value].map(([landscape, several]) => [landscape, { landscape, ...several, heights: heights.value }])));

/** What is drawn of a part: points that all of it has no room for.
 * @param {Model} model @param {import("./settings.js").Zoom | null} part @returns {Model} */
export function detailed(model, part) {
  const { measured, drawn } = model;
  if (!part || (drawn.x.length >= measured.x.length && drawn.y.length >= measured.y.length)) return model;
  const [left, right, bottom, top] = part;
  const few = cropped(measured, [left, right], [bottom, top]);
  return { ...model, measured: few, drawn: thinned(few, MOST) };
}

/** @param {number} height @param {HeightScale} scaleOfIt */
export const lossText = (height, scaleOfIt) => shortNumber(lossOf(height, scaleOfIt), 3);

/** Bands between the levels, from the lowest loss to the highest. @param {Heights} all @returns {Array<{from: number, to: number, colour: string}>} */
export function bandsOf({ reach: [lo, hi], levels, area }) {
  const bounds = [lo, ...levels.filter((level) => level > lo && level < hi), hi];
  return bounds.slice(0, -1).map((from, place) => ({ from, to: bounds[place + 1], colour: area((from + bounds[place + 1]) / 2) }));
}

export const isSurface = computed(() => view.value === "surface");
