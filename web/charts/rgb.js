// Colours as three numbers: parsed, mixed, formatted; and viridis, the sequential colour scale.

/** @typedef {[red: number, green: number, blue: number]} Rgb */

/** Parses "#1f5fc4".
 * @param {string} hex @returns {Rgb} */
export const rgbOf = (hex) => /** @type {Rgb} */ ([1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));

/** @param {Rgb} rgb */
export const cssOf = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

/** @param {Rgb} from @param {Rgb} to @param {number} share of `to` @returns {Rgb} */
export const mix = (from, to, share) =>
  /** @type {Rgb} */ (from.map((value, channel) => Math.round(value + (to[channel] - value) * share)));

/** Ten equally spaced colours of Matplotlib's viridis. @type {Rgb[]} */
const VIRIDIS = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 73, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [109, 205, 89],
  [180, 222, 44],
  [253, 231, 37],
];

/** @param {number} place 0 to 1 @returns {Rgb} */
export function viridis(place) {
  const at = place * (VIRIDIS.length - 1);
  const below = Math.min(Math.floor(at), VIRIDIS.length - 2);
  return mix(VIRIDIS[below], VIRIDIS[below + 1], at - below);
}
