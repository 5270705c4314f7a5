// How drags and the wheel change what a chart shows: pure functions on windows and boxes.

/** @typedef {import("../data/view/address.js").Window} Window */

/** A drag is along one axis if it is at most this share as far along the other one. */
const FLAT = 1 / 3;
/** Or fewer pixels. */
const SHORT = 8;

/** From how many pixels on a drag counts along an axis: so a flat one is along x, a steep one along y, others along both.
 * @param {number} right @param {number} down */
export const leastAlong = (right, down) => Math.max(SHORT, FLAT * Math.max(Math.abs(right), Math.abs(down)));

/** The part of a window between two shares of it. @param {Window} window @param {boolean} log @param {number} from
 * @param {number} to @returns {Window} */
export function partOf([lo, hi], log, from, to) {
  if (!log) return [lo + from * (hi - lo), lo + to * (hi - lo)];
  return [lo * (hi / lo) ** from, lo * (hi / lo) ** to];
}

/** A window after its content was dragged by a share of its length. @param {Window} window @param {boolean} log
 * @param {number} by */
export const dragged = (window, log, by) => partOf(window, log, -by, 1 - by);

/** A window that is larger or smaller by a factor, around a share of it that stays.
 * @param {Window} window @param {boolean} log @param {number} at @param {number} factor */
export const scaled = (window, log, at, factor) => partOf(window, log, at - at * factor, at + (1 - at) * factor);

/** The factor by which a turn of the wheel makes a window larger. @param {{deltaY: number, deltaMode: number}} wheel */
export function factorOf({ deltaY, deltaMode }) {
  const pixels = deltaMode ? 16 * deltaY : deltaY;
  return Math.exp(Math.min(Math.max(0.002 * pixels, -0.7), 0.7));
}

/** Ends with as many digits as a thousandth of the window needs. @param {Window} window @returns {Window} */
export function rounded([lo, hi]) {
  const digits = Math.min(Math.max(3 - Math.floor(Math.log10(hi - lo)), 0), 100);
  return hi - lo < 1e15 ? [Number(lo.toFixed(digits)), Number(hi.toFixed(digits))] : [lo, hi];
}
