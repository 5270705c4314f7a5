// How different two colours look, for the test of the palette: CIEDE2000, and simulations of colour blindness.

/** Red, green and blue of sRGB, 0 to 1. @typedef {[number, number, number]} Rgb */
/** Of CIE. @typedef {[lightness: number, a: number, b: number]} Lab */
/** A matrix on linear RGB. @typedef {readonly [Rgb, Rgb, Rgb]} Vision */

/** Simulations of complete colour blindness by Machado, Oliveira and Fernandes (2009). @type {Vision} */
export const PROTANOPIA = [
  [0.152286, 1.052583, -0.204868],
  [0.114503, 0.786281, 0.099216],
  [-0.003882, -0.048116, 1.051998],
];
/** @type {Vision} */
export const DEUTERANOPIA = [
  [0.367322, 0.860646, -0.227968],
  [0.280085, 0.672501, 0.047413],
  [-0.01182, 0.04294, 0.968881],
];
/** @type {Vision} */
export const TRITANOPIA = [
  [1.255528, -0.076749, -0.178779],
  [-0.078411, 0.930809, 0.147602],
  [0.004733, 0.691367, 0.3039],
];
/** From linear RGB to XYZ, relative to the white point D65. @type {Vision} */
const TO_XYZ = [
  [0.4339, 0.3762, 0.1899],
  [0.2126, 0.7152, 0.0722],
  [0.0178, 0.1095, 0.8727],
];

const linear = (/** @type {number} */ part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const encoded = (/** @type {number} */ part) => (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055);

/** @param {Vision} matrix @param {number[]} colour */
const product = (matrix, colour) => matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * colour[at], 0));

/** @param {Vision} vision @returns {(colour: Rgb) => Rgb} how a colour looks to people with this vision */
export const seenWith = (vision) => (colour) =>
  /** @type {Rgb} */ (product(vision, colour.map(linear)).map((part) => encoded(Math.min(1, Math.max(0, part)))));

/** @param {Rgb} colour @returns {Lab} */
function labOf(colour) {
  const [x, y, z] = product(TO_XYZ, colour.map(linear)).map((part) =>
    part > 216 / 24389 ? Math.cbrt(part) : (24389 / 27 / 116) * part + 16 / 116,
  );
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const radians = (/** @type {number} */ degrees) => (degrees * Math.PI) / 180;
const hueOf = (/** @type {number} */ a, /** @type {number} */ b) => ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;

/** The difference of CIEDE2000; about 1 is just noticeable. @param {Rgb} first @param {Rgb} second */
export const colourDistance = (first, second) => labDistance(labOf(first), labOf(second));

/** The same (Sharma, Wu and Dalal, 2005). @param {Lab} first @param {Lab} second */
export function labDistance([l1, a1, b1], [l2, a2, b2]) {
  const chroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const stretch = 1 + 0.5 * (1 - Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)));
  const [c1, c2] = [Math.hypot(a1 * stretch, b1), Math.hypot(a2 * stretch, b2)];
  const [h1, h2] = [hueOf(a1 * stretch, b1), hueOf(a2 * stretch, b2)];
  const turn = c1 * c2 === 0 ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const hue = c1 * c2 === 0 ? h1 + h2 : h1 + turn / 2;
  const hueDifference = 2 * Math.sqrt(c1 * c2) * Math.sin(radians(turn / 2));
  const [lightness, mean] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const cosine = (/** @type {number} */ times, /** @type {number} */ shift) => Math.cos(radians(times * hue + shift));
  const t = 1 - 0.17 * cosine(1, -30) + 0.24 * cosine(2, 0) + 0.32 * cosine(3, 6) - 0.2 * cosine(4, -63);
  const byLightness = (l2 - l1) / (1 + (0.015 * (lightness - 50) ** 2) / Math.sqrt(20 + (lightness - 50) ** 2));
  const byChroma = (c2 - c1) / (1 + 0.045 * mean);
  const byHue = hueDifference / (1 + 0.015 * mean * t);
  const blue = 30 * Math.exp(-((((hue + 360) % 360) - 275) ** 2) / 25 ** 2);
  const rotation = -2 * Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)) * Math.sin(radians(2 * blue));
  return Math.sqrt(byLightness ** 2 + byChroma ** 2 + byHue ** 2 + rotation * byChroma * byHue);
}
