// What the images page remembers in the address: its step, brightness, contrast, the difference, the part in sight.

import { computed } from "@preact/signals-core";
import { PageStep } from "../../controls/page_step.js";
import { ThrottledSetting } from "../../controls/throttled_setting.js";
import { RankChoice } from "../../data/ranks.js";
import { parseCamera, printCamera } from "./model/camera.js";

export const imageStep = new PageStep("image");
export const imageRanks = new RankChoice("image", "image");
/** Where the cards and the large view have their pictures from. */
export const IMAGE_SOURCE = { kind: /** @type {const} */ ("images"), page: imageStep, ranks: imageRanks };

/** In percent; as usual is 100. */
export const USUAL = 100;
export const LARGEST = 300;

export const bright = percentage("image.bright");
export const contrast = percentage("image.contrast");

/** @param {string} name */
function percentage(name) {
  const written = new ThrottledSetting(name);
  const value = computed(() => {
    const number = written.text.value === "" ? USUAL : Number(written.text.value);
    return number >= 0 ? Math.min(LARGEST, number) : USUAL;
  });
  return { value, set: (/** @type {number} */ number) => written.set(number === USUAL ? "" : String(number)) };
}

/** Brightness and contrast as a filter of the style sheet; "none" when both are as usual. */
export const adjustment = computed(() =>
  bright.value.value === USUAL && contrast.value.value === USUAL
    ? "none"
    : `brightness(${bright.value.value}%) contrast(${contrast.value.value}%)`,
);

/** The difference is drawn so many times as strong: a number, or as strong as fits. */
export const GAINS = /** @type {const} */ (["1", "4", "16", "auto"]);
/** @typedef {"" | (typeof GAINS)[number]} Gain "" = no difference is drawn */

const written = new ThrottledSetting("image.difference");
/** @type {import("@preact/signals-core").ReadonlySignal<Gain>} */
export const gain = computed(() => GAINS.find((value) => value === written.text.value) ?? "");
export const setGain = (/** @type {string} */ value) => written.set(value);

const part = new ThrottledSetting("image.part");
/** The part of the pictures that every pane of the large view shows. */
export const camera = computed(() => parseCamera(part.text.value));
export const setCamera = (/** @type {import("./model/camera.js").Camera} */ value) => {
  const text = printCamera(value);
  if (text) part.set(text);
  else part.setNow(text);
};
