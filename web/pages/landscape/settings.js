// Settings of the landscape page, kept in the URL.

import { computed, signal } from "@preact/signals-core";
import { SCALES } from "../../charts/landscape/scales.js";
import { parseStep, ThrottledSetting } from "../../controls/throttled_setting.js";
import { set, setting } from "../../data/view/view.js";

export const VIEWS = /** @type {const} */ (["filled", "contours", "surface", "both"]);
/** @typedef {(typeof VIEWS)[number]} ViewName */
/** @typedef {readonly [left: number, right: number, bottom: number, top: number]} Zoom coordinates */

export const view = setting("land.view", /** @type {ViewName} */ ("filled"), VIEWS);
export const scale = setting("land.z", /** @type {import("../../charts/landscape/grid.js").HeightScale} */ ("linear"), [
  "linear",
  "log",
]);
/** Percentile at which heights and colours are clipped. */
export const CLIPS = /** @type {const} */ (["off", "99", "95", "90"]);
export const clip = setting("land.clip", /** @type {(typeof CLIPS)[number]} */ ("off"), CLIPS);
export const colours = setting(
  "land.scale",
  /** @type {import("../../charts/landscape/scales.js").ScaleName} */ ("viridis"),
  SCALES,
);
export const COUNTS = /** @type {const} */ (["5", "10", "15", "20", "30", "50", "80"]);
export const count = setting("land.levels", /** @type {(typeof COUNTS)[number]} */ ("15"), COUNTS);
/** Interpolation between the measured points. */
export const between = setting("land.between", /** @type {"curved" | "straight"} */ ("curved"), ["curved", "straight"]);

const pathText = setting("land.path", "");
/** The path colour of the first landscape as #rrggbb; "" = the colour of its run. */
export const pathColour = computed(() => (/^#[0-9a-f]{6}$/i.test(pathText.value) ? pathText.value : ""));

/** Returns a setter that removes the default value from the URL.
 * @param {string} name @param {string} defaultValue @returns {(value: string) => void} */
export const choose = (name, defaultValue) => (value) => set({ [name]: value === defaultValue ? "" : value });

const zoomText = setting("land.zoom", "");
/** The visible part of each pane, by its index; null = the whole landscape.
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

/** @param {number} place @param {Zoom | null} part */
export function zoom(place, part) {
  const all = [...zooms.peek()];
  while (all.length <= place) all.push(null);
  all[place] = part;
  set({
    "land.zoom": all.some(Boolean)
      ? all
          .map((zoomPart) => (zoomPart ? zoomPart.map((number) => Number(number.toPrecision(6))).join(",") : ""))
          .join(";")
      : "",
  });
}

const pinText = setting("land.pin", "");
/** The pinned position on the first landscape; null = none.
 * @type {import("@preact/signals-core").ReadonlySignal<{x: number, y: number} | null>} */
export const pin = computed(() => {
  const [x, y, ...more] = pinText.value.split(",").map(Number);
  return Number.isFinite(x) && Number.isFinite(y) && !more.length ? { x, y } : null;
});
/** @param {{x: number, y: number} | null} place */
export const setPin = (place) =>
  set({ "land.pin": place ? [place.x, place.y].map((number) => Number(number.toPrecision(6))).join(",") : "" });

const cameraText = new ThrottledSetting("land.camera");
/** The camera of the surface as Plotly's eye and centre; null = the default. */
export const camera = computed(() => {
  const numbers = cameraText.text.value.split(",").map(Number);
  return numbers.length === 6 && numbers.every(Number.isFinite) ? numbers : null;
});
/** @param {number[] | null} numbers eye and centre */
export const setCamera = (numbers) =>
  cameraText.setNow(numbers ? numbers.map((number) => Number(number.toFixed(3))).join(",") : "");

const timeText = new ThrottledSetting("land.at");
/** The moment during playback; null = not playing. @type {import("@preact/signals-core").Signal<number | null>} */
export const playbackMoment = signal(null);
/** The shown moment of the training: a step, or the number of a checkpoint; null = the end of the path. */
export const moment = computed(() => playbackMoment.value ?? parseStep(timeText.text.value));
/** @param {number | null} time */
export const setMoment = (time) => timeText.set(time === null ? "" : String(Number(time.toPrecision(8))));

export const SPEEDS = /** @type {const} */ (["0.25", "0.5", "1", "2", "4"]);
export const speed = setting("land.speed", /** @type {(typeof SPEEDS)[number]} */ ("1"), SPEEDS);

/** The pane that is drawn as a surface: only one, since browsers limit WebGL contexts. */
export const surfacePane = signal(0);
/** Why there is no surface: no WebGL, the script failed to load, or the context was lost.
 * @type {import("@preact/signals-core").Signal<"" | "webgl" | "script" | "lost">} */
export const surfaceFailure = signal("");
