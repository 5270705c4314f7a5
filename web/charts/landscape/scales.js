// Colour scales for heights, suitable for colour-blind readers, and variants with enough contrast for lines.

import { cssOf, mix, rgbOf, viridis } from "../rgb.js";

/** @typedef {import("../rgb.js").Rgb} Rgb */

export const SCALES = /** @type {const} */ (["viridis", "cividis", "magma", "blue-orange"]);
/** @typedef {(typeof SCALES)[number]} ScaleName */

/** Colours at every tenth: Matplotlib's, except the last, which is our own diverging scale.
 * @type {Record<Exclude<ScaleName, "viridis">, Rgb[]>} */
const STOPS = {
  cividis: [
    "#00224e",
    "#083370",
    "#35456c",
    "#4f576c",
    "#666970",
    "#7d7c78",
    "#948e77",
    "#aea371",
    "#c8b866",
    "#e5cf52",
    "#fee838",
  ].map(rgbOf),
  magma: [
    "#000004",
    "#140e36",
    "#3b0f70",
    "#641a80",
    "#8c2981",
    "#b73779",
    "#de4968",
    "#f7705c",
    "#fe9f6d",
    "#fecf92",
    "#fcfdbf",
  ].map(rgbOf),
  "blue-orange": [
    "#0b3c78",
    "#1f69be",
    "#5b9bdc",
    "#a3c9ee",
    "#dfe9f1",
    "#f1f0ee",
    "#f6e3cf",
    "#f2bc85",
    "#e28a3c",
    "#c06010",
    "#7a3a05",
  ].map(rgbOf),
};

/** @param {ScaleName} name @param {number} place 0 to 1 @returns {Rgb} */
export function shadeOf(name, place) {
  const inside = Math.max(0, Math.min(1, place));
  if (name === "viridis") return viridis(inside);
  const stops = STOPS[name];
  const below = Math.min(Math.floor(inside * (stops.length - 1)), stops.length - 2);
  return mix(stops[below], stops[below + 1], inside * (stops.length - 1) - below);
}

/** The colour at a position. For lines it is darkened or lightened until it contrasts with the page.
 * @param {ScaleName} name @param {number} place 0 to 1 @param {"area" | "line"} use @param {boolean} dark the theme */
export function colourOf(name, place, use, dark) {
  const shade = shadeOf(name, place);
  return cssOf(use === "area" ? shade : withContrast(shade, dark));
}

const BLACK = /** @type {Rgb} */ ([0, 0, 0]);
const WHITE = /** @type {Rgb} */ ([255, 255, 255]);
/** Relative luminances with a contrast of 3:1 to the page (WCAG 2) in either theme. */
const MAX_ON_LIGHT = 0.28;
const MIN_ON_DARK = 0.13;

/** @param {Rgb} shade @param {boolean} dark @returns {Rgb} */
function withContrast(shade, dark) {
  let share = 0;
  const hasContrast = (/** @type {Rgb} */ rgb) =>
    dark ? luminance(rgb) >= MIN_ON_DARK : luminance(rgb) <= MAX_ON_LIGHT;
  while (share < 1 && !hasContrast(mix(shade, dark ? WHITE : BLACK, share))) share += 0.04;
  return mix(shade, dark ? WHITE : BLACK, share);
}

/** @param {Rgb} rgb */
function luminance(rgb) {
  const [red, green, blue] = rgb.map((channel) => ((channel / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
