// The colours of a table of elements, derived from the theme and the colour scale.

import { cssOf, mix, rgbOf } from "../../../charts/rgb.js";
import { tokens } from "../../../charts/theme.js";
import { shadesOf } from "./colours.js";

/** @typedef {import("../../../charts/rgb.js").Rgb} Rgb */

/** @typedef {object} TableStyle
 * @property {import("./colours.js").ColourScale | null} scale null = no colours
 * @property {import("../../../i18n/numbers.js").ColumnFormat} format
 * @property {boolean} isMap whether cells have no numbers
 */

/**
 * @typedef {{key: string, shades: Rgb[], damage: Rgb, text: string, faint: string, surface: string, line: string,
 *   accent: string, alarm: string}} GridTheme
 */

/** The strengths at which text stays legible on the colours. */
const STRENGTH = { diverging: 0.55, sequential: 0.4 };

/** @type {GridTheme | null} */
let cached = null;

/** @param {TableStyle} style @returns {GridTheme} */
export function gridTheme({ scale, isMap }) {
  const theme = document.documentElement.dataset.theme ?? "light";
  const key = JSON.stringify([theme, scale, isMap]);
  if (cached?.key === key) return cached;
  const computed = getComputedStyle(document.documentElement);
  const token = (/** @type {string} */ name) => computed.getPropertyValue(name).trim();
  const surface = rgbOf(token("--surface"));
  const strength = isMap ? 1 : scale?.isDiverging ? STRENGTH.diverging : STRENGTH.sequential;
  const shades = scale ? shadesOf(scale.isDiverging, surface, strength) : [surface];
  const damage = mix(surface, rgbOf(tokens().damage), isMap ? 1 : 0.2);
  cached = {
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
  return cached;
}

/** The CSS gradient of the legend.
 * @param {TableStyle} style */
export function gradientOf(style) {
  const { shades } = gridTheme(style);
  const stops = [0, 32, 64, 96, 128, 160, 192, 224, 255].map((at) => cssOf(shades[Math.min(at, shades.length - 1)]));
  return `linear-gradient(90deg, ${stops.join(", ")})`;
}
