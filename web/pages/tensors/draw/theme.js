// The colours in which a table of elements is drawn: made from the theme, and from what its values reach over.

import { cssOf, mix, rgbOf } from "../../../charts/rgb.js";
import { tokens } from "../../../charts/theme.js";
import { shadesOf } from "./colours.js";

/** @typedef {import("../../../charts/rgb.js").Rgb} Rgb */

/** @typedef {object} Look
 * @property {import("./colours.js").ColourScale | null} scale null = without colours
 * @property {import("../../../i18n/numbers.js").ColumnFormat} format
 * @property {boolean} isMap cells without numbers
 */

/** Colours made from the theme and the look. @typedef {{key: string, shades: Rgb[], damage: Rgb, text: string, faint: string, surface: string, line: string, accent: string, alarm: string}} Inks */

/** Text stays readable on colours mixed so far with the ground. */
const SOFT = { diverging: 0.55, sequential: 0.4 };

/** @type {Inks | null} */
let known = null;

/** @param {Look} look @returns {Inks} */
export function inksOf({ scale, isMap }) {
  const theme = document.documentElement.dataset.theme ?? "light";
  const key = JSON.stringify([theme, scale, isMap]);
  if (known?.key === key) return known;
  const style = getComputedStyle(document.documentElement);
  const token = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const surface = rgbOf(token("--surface"));
  const strength = isMap ? 1 : scale?.isDiverging ? SOFT.diverging : SOFT.sequential;
  const shades = scale ? shadesOf(scale.isDiverging, surface, strength) : [surface];
  const damage = mix(surface, rgbOf(tokens().damage), isMap ? 1 : 0.2);
  known = {
    key,
    shades,
    damage,
    text: token("--text"),
    faint: token("--text-3"),
    surface: token("--surface"),
    line: token("--line"),
    accent: token("--accent"),
    alarm: tokens().damage,
  };
  return known;
}

/** The gradient of a legend, as it lies under the numbers.
 * @param {Look} look */
export function gradientOf(look) {
  const { shades } = inksOf(look);
  return `linear-gradient(90deg, ${[0, 32, 64, 96, 128, 160, 192, 224, 255].map((shade) => cssOf(shades[Math.min(shade, shades.length - 1)])).join(", ")})`;
}
