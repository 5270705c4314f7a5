// What the landscape page remembers in the address, and where its reader points.

import { computed, signal } from "@preact/signals-core";
import { SCALES } from "../../charts/landscape/scales.js";
import { parseStep, ThrottledSetting } from "../../controls/throttled_setting.js";
import { set, setting } from "../../data/view.js";

export const VIEWS = /** @type {const} */ (["filled", "contours", "surface", "both"]);
/** @typedef {(typeof VIEWS)[number]} ViewName */
/** @typedef {readonly [left: number, right: number, bottom: number, top: number]} Zoom coordinates */

export const view = setting("land.view", /** @type {ViewName} */ ("filled"), VIEWS);
export const scale = setting("land.z", /** @type {import("../../charts/landscape/grid.js").HeightScale} */ ("linear"), [
  "linear",
  "log",
]);
/** How many of a hundred points the scale reaches over. */
export const CLIPS = /** @type {const} */ (["off", "99", "95", "90"]);
export const clip = setting("land.clip", /** @type {(typeof CLIPS)[number]} */ ("off"), CLIPS);
export const colours = setting(
  "land.scale",
  /** @type {import("../../charts/landscape/scales.js").ScaleName} */ ("viridis"),
  SCALES,
);
export const COUNTS = /** @type {const} */ (["5", "10", "15", "20", "30", "50", "80"]);
export const count = setting("land.levels", /** @type {(typeof COUNTS)[number]} */ ("15"), COUNTS);
/** Between the measured points: curved, or straight. */
export const between = setting("land.between", /** @type {"curved" | "straight"} */ ("curved"), ["curved", "straight"]);

const pathText = setting("land.path", "");
/** What the path of the first landscape is drawn in, as #rrggbb; "" = the colour of its run. */
export const pathColour = computed(() => (/^#[0-9a-f]{6}$/i.test(pathText.value) ? pathText.value : ""));

/** Takes a setting back to the usual when it is that.
 * @param {string} name @param {string} usual @returns {(value: string) => void} */
export const choose = (name, usual) => (value) => set({ [name]: value === usual ? "" : value });

const zoomText = setting("land.zoom", "");
/** The part of each landscape that is shown, by its place; null = all of it.
 * @type {import("@preact/signals-core").ReadonlySignal<Array<Zoom | null>>} */
export const zooms = computed(() => zoomText.value.split(";").map(zoomOf));

/** @param {string} text @returns {Zoom | null} */
function zoomOf(text) {
  const numbers = text.split(",").map(Number);
  const [left, right, bottom, top] = numbers;
  return numbers.length === 4 && numbers.every(Number.isFinite) && right > left && top > bottom
    ? [left, right, bottom, top]
    : null;
}

/** @param {number} place @param {Zoom | null} wanted */
export function zoom(place, wanted) {
  const all = [...zooms.peek()];
  while (all.length <= place) all.push(null);
  all[place] = wanted;
  set({
    "land.zoom": all.some(Boolean)
      ? all.map((one) => (one ? one.map((number) => Number(number.toPrecision(6))).join(",") : "")).join(";")
      : "",
  });
}

const pinText = setting("land.pin", "");
/** The place on the first landscape that was clicked; null without one.
 * @type {import("@preact/signals-core").ReadonlySignal<{x: number, y: number} | null>} */
export const pin = computed(() => {
  const [x, y, ...more] = pinText.value.split(",").map(Number);
  return Number.isFinite(x) && Number.isFinite(y) && !more.length ? { x, y } : null;
});
/** @param {{x: number, y: number} | null} place */
export const setPin = (place) =>
  set({ "land.pin": place ? [place.x, place.y].map((number) => Number(number.toPrecision(6))).join(",") : "" });

const cameraText = new ThrottledSetting("land.camera");
/** Where the surface is looked at from, in plotly's terms; null = as usual. */
export const camera = computed(() => {
  const numbers = cameraText.text.value.split(",").map(Number);
  return numbers.length === 6 && numbers.every(Number.isFinite) ? numbers : null;
});
/** @param {number[] | null} numbers eye and centre */
export const setCamera = (numbers) =>
  cameraText.setNow(numbers ? numbers.map((number) => Number(number.toFixed(3))).join(",") : "");

const timeText = new ThrottledSetting("land.at");
/** Where the playing stands, while it plays. @type {import("@preact/signals-core").Signal<number | null>} */
export const moving = signal(null);
/** The moment of the training that is shown on the path: a step, or the how-manieth checkpoint; null = its end, all
 * of it. */
export const moment = computed(() => moving.value ?? parseStep(timeText.text.value));
/** @param {number | null} time */
export const setMoment = (time) => timeText.set(time === null ? "" : String(Number(time.toPrecision(8))));

export const SPEEDS = /** @type {const} */ (["0.25", "0.5", "1", "2", "4"]);
export const speed = setting("land.speed", /** @type {(typeof SPEEDS)[number]} */ ("1"), SPEEDS);

/** Which landscape is the surface, when there are several: only one WebGL drawing is alive at a time. */
export const raised = signal(0);
/** Why there is no surface: without WebGL, or because its script could not be had.
 * @type {import("@preact/signals-core").Signal<"" | "webgl" | "script" | "lost">} */
export const withoutSurface = signal("");
