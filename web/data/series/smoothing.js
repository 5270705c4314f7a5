// Methods of smoothing: their strengths, sliders and request parameter.

/** ema: exponential moving average by points; time: by distance on the x axis; median: running median.
 * @typedef {"ema" | "time" | "median"} Method */

export const METHODS = /** @type {const} */ (["ema", "time", "median"]);

/** The request parameter with which the server smooths the series that are noisy. */
export const AUTOMATIC = "auto";

/** The server's limit. */
const WIDEST = 1001;
const LONGEST = 1e9;
const SHORTEST = 1e-3;

/** Returns the nearest valid strength of a method; 0 = off.
 * ema: weight of the previous average; time: half-life in the unit of the axis; median: an odd number of points.
 * @param {Method} method @param {number} strength */
export function clampStrength(method, strength) {
  if (!(strength > 0)) return 0;
  if (method === "ema") return Math.min(strength, 0.999);
  if (method === "time") return Number(Math.min(Math.max(strength, SHORTEST), LONGEST).toPrecision(6));
  const odd = 2 * Math.floor(Math.min(strength, WIDEST) / 2) + 1;
  return odd > 1 ? Math.min(odd, WIDEST) : 0;
}

/** Returns the request parameter; "" = no smoothing.
 * @param {Method} method @param {number} strength */
export const smoothingText = (method, strength) => (strength > 0 ? `${method}:${plain(strength)}` : "");

/** Without an exponent.
 * @param {number} number */
const plain = (number) => (number < 1 ? number.toFixed(9).replace(/0+$/, "") : String(number));

/** Sliders of half-lives and windows are logarithmic, with positions from 0 (off) to this. */
export const POSITIONS = 100;
const RANGES = /** @type {const} */ ({ time: [1, 1e5], median: [3, WIDEST] });

/** @param {keyof typeof RANGES} method @param {number} position 0 = off */
export function strengthAt(method, position) {
  const [least, most] = RANGES[method];
  if (position <= 0) return 0;
  const strength = least * (most / least) ** ((position - 1) / (POSITIONS - 1));
  return clampStrength(method, strength < 10 ? Math.round(strength) : Number(strength.toPrecision(2)));
}

/** @param {keyof typeof RANGES} method @param {number} strength */
export function positionOf(method, strength) {
  const [least, most] = RANGES[method];
  if (strength <= 0) return 0;
  return Math.min(POSITIONS, Math.max(1, 1 + (POSITIONS - 1) * (Math.log(strength / least) / Math.log(most / least))));
}
