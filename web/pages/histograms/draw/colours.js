// Colours of counts: viridis, reversed on light themes.

import { cssOf, viridis } from "../../../charts/rgb.js";

const SHADES = 256;
/** A lookup table, since a heat map has many cells. */
const SCALE = Array.from({ length: SHADES }, (_, shade) => viridis(shade / (SHADES - 1)));

/** High counts contrast with the page in either theme: bright on dark, dark on light.
 * @param {number} share 0 to 1 @param {boolean} dark the theme */
export const shadeOf = (share, dark) => SCALE[Math.round((dark ? share : 1 - share) * (SHADES - 1))];

/** The scale as a CSS gradient, from low to high.
 * @param {boolean} dark */
export const scaleGradient = (dark) =>
  `linear-gradient(to right, ${Array.from({ length: 9 }, (_, stop) => cssOf(shadeOf(stop / 8, dark))).join(", ")})`;
