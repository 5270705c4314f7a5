// Colour scales: blue to orange around zero if both signs occur, else viridis, on the background of the theme.

import { mix, viridis } from "../../../charts/rgb.js";

/** @typedef {import("../../../charts/rgb.js").Rgb} Rgb */

/** The range of values that the colours cover. @typedef {{isDiverging: boolean, lo: number, hi: number}} ColourScale */

const BLUE = /** @type {Rgb} */ ([31, 105, 190]);
const ORANGE = /** @type {Rgb} */ ([222, 112, 20]);
const SHADES = 256;

/** @param {number} min @param {number} max @returns {ColourScale} */
export function scaleOf(min, max) {
  const reach = Math.max(Math.abs(min), Math.abs(max));
  return min < 0 && max > 0 ? { isDiverging: true, lo: -reach, hi: reach } : { isDiverging: false, lo: min, hi: max };
}

/** All shades of a scale, from its lowest value to its highest.
 * @param {boolean} isDiverging @param {Rgb} ground
 * @param {number} strength 1 = full, less = mixed with the background so that text stays legible
 * @returns {Rgb[]} */
export function shadesOf(isDiverging, ground, strength) {
  return Array.from({ length: SHADES }, (_, shade) => {
    const place = shade / (SHADES - 1);
    if (!isDiverging) return mix(ground, viridis(place), strength);
    const away = 2 * place - 1;
    return mix(ground, away < 0 ? BLUE : ORANGE, Math.abs(away) * strength);
  });
}

/** RGBA bytes with one pixel per element; non-finite elements have the colour `damage`.
 * @param {ArrayLike<number>} numbers @param {ColourScale} scale @param {Rgb[]} shades @param {Rgb} damage */
export function pixelsOf(numbers, { lo, hi }, shades, damage) {
  const pixels = new Uint8ClampedArray(numbers.length * 4);
  const perValue = hi > lo ? (SHADES - 1) / (hi - lo) : 0;
  for (let index = 0, at = 0; index < numbers.length; index++, at += 4) {
    const value = numbers[index];
    const shade = Number.isFinite(value)
      ? shades[Math.max(0, Math.min(SHADES - 1, Math.round((value - lo) * perValue)))]
      : damage;
    pixels[at] = shade[0];
    pixels[at + 1] = shade[1];
    pixels[at + 2] = shade[2];
    pixels[at + 3] = 255;
  }
  return pixels;
}
