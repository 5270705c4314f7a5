// Colours of counts: the viridis scale, its far end where there is much.

import { cssOf, viridis } from "../../../charts/rgb.js";

const SHADES = 256;
/** Viridis in equal parts: the cells of a heat map are many. */
const SCALE = Array.from({ length: SHADES }, (_, shade) => viridis(shade / (SHADES - 1)));

/** Much is far from the surface in either theme: bright on dark, dark on light.
 * @param {number} share 0 to 1 @param {boolean} dark the theme */
export const shadeOf = (share, dark) => SCALE[Math.round((dark ? share : 1 - share) * (SHADES - 1))];

/** The scale as a style sheet writes it, from little to much.
 * @param {boolean} dark */
export const scaleGradient = (dark) =>
  `linear-gradient(to right, ${Array.from({ length: 9 }, (_, stop) => cssOf(shadeOf(stop / 8, dark))).join(", ")})`;
