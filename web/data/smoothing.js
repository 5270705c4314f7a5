// Ways to smooth a line, how much each may, and what the server is asked for.

/** ema: moving average that forgets by point; time: by distance on the axis; median: running median.
 * @typedef {"ema" | "time" | "median"} Method */

export const METHODS = /** @type {const} */ (["ema", "time", "median"]);

/** The server's bound. */
const WIDEST = 1001;
const LONGEST = 1e9;
const SHORTEST = 1e-3;

/** The nearest amount a method can do; 0 = does nothing.
 * ema: weight of what came before; time: half-life in the axis's unit; median: an odd number of points.
 * @param {Method} method @param {number} amount */
export function usable(method, amount) {
  if (!(amount > 0)) return 0;
  if (method === "ema") return Math.min(amount, 0.999);
  if (method === "time") return Number(Math.min(Math.max(amount, SHORTEST), LONGEST).toPrecision(6));
  const odd = 2 * Math.floor(Math.min(amount, WIDEST) / 2) + 1;
  return odd > 1 ? Math.min(odd, WIDEST) : 0;
}

/** What the server calls it; "" = no smoothing.
 * @param {Method} method @param {number} amount */
export const smoothingText = (method, amount) => (amount > 0 ? `${method}:${plain(amount)}` : "");

/** Without an exponent.
 * @param {number} number */
const plain = (number) => (number < 1 ? number.toFixed(9).replace(/0+$/, "") : String(number));

/** Sliders of half-lives and windows run over orders of magnitude: places 0 to 100. */
export const PLACES = 100;
const REACH = /** @type {const} */ ({ time: [1, 1e5], median: [3, WIDEST] });

/** @param {keyof typeof REACH} method @param {number} place 0 = off */
export function amountAt(method, place) {
  const [least, most] = REACH[method];
  if (place <= 0) return 0;
  const amount = least * (most / least) ** ((place - 1) / (PLACES - 1));
  return usable(method, amount < 10 ? Math.round(amount) : Number(amount.toPrecision(2)));
}

/** @param {keyof typeof REACH} method @param {number} amount */
export function placeOf(method, amount) {
  const [least, most] = REACH[method];
  if (amount <= 0) return 0;
  return Math.min(PLACES, Math.max(1, 1 + (PLACES - 1) * (Math.log(amount / least) / Math.log(most / least))));
}
