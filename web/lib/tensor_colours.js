// Values as colours: blue to orange around zero when both signs occur, else viridis; over the theme's own ground.

/** @typedef {[red: number, green: number, blue: number]} Rgb */

/** From which value to which the colours reach. @typedef {{isDiverging: boolean, lo: number, hi: number}} ColourScale */

const BLUE = /** @type {Rgb} */ ([31, 105, 190]);
const ORANGE = /** @type {Rgb} */ ([222, 112, 20]);
/** @type {Rgb[]} */
const VIRIDIS = [
  [68, 1, 84], [72, 40, 120], [62, 73, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [109, 205, 89], [180, 222, 44], [253, 231, 37],
];
const SHADES = 256;

/** @param {number} min @param {number} max @returns {ColourScale} */
export function scaleOf(min, max) {
  const reach = Math.max(Math.abs(min), Math.abs(max));
  return min < 0 && max > 0 ? { isDiverging: true, lo: -reach, hi: reach } : { isDiverging: false, lo: min, hi: max };
}

/** All shades of a scale, from its lowest value to its highest.
 * @param {boolean} isDiverging @param {Rgb} ground @param {number} strength 1 = as they are, less = mixed with the ground, so that text is read on them
 * @returns {Rgb[]} */
export function shadesOf(isDiverging, ground, strength) {
  return Array.from({ length: SHADES }, (_, shade) => {
    const place = shade / (SHADES - 1);
    if (!isDiverging) return mix(ground, viridis(place), strength);
    const away = 2 * place - 1;
    return mix(ground, away < 0 ? BLUE : ORANGE, Math.abs(away) * strength);
  });
}

/** @param {Rgb} one @param {Rgb} other @param {number} share of the other @returns {Rgb} */
export const mix = (one, other, share) => /** @type {Rgb} */ (one.map((value, channel) => Math.round(value + (other[channel] - value) * share)));

/** @param {number} place 0 to 1 @returns {Rgb} */
function viridis(place) {
  const at = place * (VIRIDIS.length - 1);
  const below = Math.min(Math.floor(at), VIRIDIS.length - 2);
  return mix(VIRIDIS[below], VIRIDIS[below + 1], at - below);
}

/** One pixel an element; what is not finite in the colour of damage.
 * @param {ArrayLike<number>} numbers @param {ColourScale} scale @param {Rgb[]} shades @param {Rgb} damage */
export function pixelsOf(numbers, { lo, hi }, shades, damage) {
  const pixels = new Uint8ClampedArray(numbers.length * 4);
  const perValue = hi > lo ? (SHADES - 1) / (hi - lo) : 0;
  for (let index = 0, at = 0; index < numbers.length; index++, at += 4) {
    const value = numbers[index];
    const shade = Number.isFinite(value) ? shades[Math.max(0, Math.min(SHADES - 1, Math.round((value - lo) * perValue)))] : damage;
    pixels[at] = shade[0];
    pixels[at + 1] = shade[1];
    pixels[at + 2] = shade[2];
    pixels[at + 3] = 255;
  }
  return pixels;
}

/** "#1f5fc4" as the style sheet has it.
 * @param {string} hex @returns {Rgb} */
export const rgbOf = (hex) => /** @type {Rgb} */ ([1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));

/** @param {Rgb} rgb */
export const cssOf = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;
