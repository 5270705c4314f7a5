// Settings of the images page, kept in the URL: step, brightness, contrast, difference, camera.

import { computed, signal } from "@preact/signals-core";
import { PageStep } from "../../controls/page_step.js";
import { ThrottledSetting } from "../../controls/throttled_setting.js";
import { RankChoice } from "../../data/runs/ranks.js";
import { parseCamera, printCamera } from "./model/camera.js";
import { parseWindow } from "./model/deep.js";

export const imageStep = new PageStep("image");
export const imageRanks = new RankChoice("image", "image");
/** The source of the pictures of cards and viewer. */
export const IMAGE_SOURCE = { kind: /** @type {const} */ ("images"), page: imageStep, ranks: imageRanks };

/** Default and maximum of brightness and contrast, in percent. */
export const DEFAULT_PERCENT = 100;
export const MAX_PERCENT = 300;

export const bright = percentage("image.bright");
export const contrast = percentage("image.contrast");

/** @param {string} name */
function percentage(name) {
  const parameter = new ThrottledSetting(name);
  const value = computed(() => {
    const number = parameter.text.value === "" ? DEFAULT_PERCENT : Number(parameter.text.value);
    return number >= 0 ? Math.min(MAX_PERCENT, number) : DEFAULT_PERCENT;
  });
  return {
    value,
    set: (/** @type {number} */ number) => parameter.set(number === DEFAULT_PERCENT ? "" : String(number)),
  };
}

/** Brightness and contrast as a CSS filter; "none" if both have their defaults. */
export const adjustment = computed(() =>
  bright.value.value === DEFAULT_PERCENT && contrast.value.value === DEFAULT_PERCENT
    ? "none"
    : `brightness(${bright.value.value}%) contrast(${contrast.value.value}%)`,
);

/** Factors that multiply the difference; "auto" uses the full range. */
export const GAINS = /** @type {const} */ (["1", "4", "16", "auto"]);
/** @typedef {"" | (typeof GAINS)[number]} Gain "" = no difference */

const parameter = new ThrottledSetting("image.difference");
/** @type {import("@preact/signals-core").ReadonlySignal<Gain>} */
export const gain = computed(() => GAINS.find((value) => value === parameter.text.value) ?? "");
export const setGain = (/** @type {string} */ value) => parameter.set(value);

const windowParameter = new ThrottledSetting("image.window");
/** The window of pictures with 16 bits a channel; null = all values of each. */
export const valueWindow = computed(() => parseWindow(windowParameter.text.value));
export const setValueWindow = (/** @type {import("./model/deep.js").ValueWindow | null} */ window) =>
  windowParameter.setNow(window ? window.join(",") : "");

/** The window that the last picture was drawn with; null if it has eight bits a channel.
 * @type {import("@preact/signals-core").Signal<import("./model/deep.js").ValueWindow | null>} */
export const drawnWindow = signal(null);

const cameraParameter = new ThrottledSetting("image.part");
/** The camera of all panes in the viewer. */
export const camera = computed(() => parseCamera(cameraParameter.text.value));
export const setCamera = (/** @type {import("./model/camera.js").Camera} */ value) => {
  const text = printCamera(value);
  if (text) cameraParameter.set(text);
  else cameraParameter.setNow(text);
};
