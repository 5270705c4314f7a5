// Colours of histograms: counts on the viridis scale, steps in shades of their run's colour.

/** Matplotlib's viridis at every eighth. */
const VIRIDIS = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"].map(channelsOf);

/** @param {string} colour "#rrggbb" @returns {[number, number, number]} */
function channelsOf(colour) {
  const number = parseInt(colour.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/** @param {readonly number[]} one @param {readonly number[]} other @param {number} share of the other */
const between = (one, other, share) => one.map((channel, index) => Math.round(channel + (other[index] - channel) * share));

/** @param {string} one "#rrggbb" @param {string} other @param {number} share of the other */
export const mix = (one, other, share) => `rgb(${between(channelsOf(one), channelsOf(other), share).join(" ")})`;

/** Much is far from the surface in either theme: bright on dark, dark on light.
 * @param {number} share 0 to 1 @param {boolean} dark the theme @returns {number[]} red, green, blue */
export function shadeOf(share, dark) {
  const place = (dark ? share : 1 - share) * (VIRIDIS.length - 1);
  const first = Math.min(VIRIDIS.length - 2, Math.floor(place));
  return between(VIRIDIS[first], VIRIDIS[first + 1], place - first);
}

/** The scale as a style sheet writes it, from little to much.
 * @param {boolean} dark */
export function scaleGradient(dark) {
  const stops = VIRIDIS.map((_, index) => `rgb(${shadeOf(index / (VIRIDIS.length - 1), dark).join(" ")})`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
