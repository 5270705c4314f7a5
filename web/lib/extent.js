// How far an axis reaches: over the points in view, with a little air.

import { lowerBound } from "./search.js";

/** @typedef {import("./view.js").Window} Window */

/** From the first to the last x of all columns; null when there is none.
 * @param {Iterable<ArrayLike<number>>} columns ascending @returns {Window | null} */
export function xExtent(columns) {
  let lo = Infinity;
  let hi = -Infinity;
  for (const xs of columns) {
    if (!xs.length) continue;
    lo = Math.min(lo, xs[0]);
    hi = Math.max(hi, xs[xs.length - 1]);
  }
  if (lo > hi) return null;
  return lo === hi ? [lo - 0.5, hi + 0.5] : [lo, hi];
}

/** The finite (for a logarithm: positive) values whose x lies in the window.
 * @param {Iterable<{xs: ArrayLike<number>, columns: ArrayLike<number>[]}>} lines
 * @param {Window} window @param {boolean} log @returns {Window} */
export function yExtent(lines, [left, right], log) {
  let lo = Infinity;
  let hi = -Infinity;
  for (const { xs, columns } of lines) {
    const end = lowerBound(xs, right + (right - left) * 1e-9);
    for (const ys of columns) {
      for (let index = lowerBound(xs, left); index < Math.min(end + 1, ys.length); index++) {
        const y = ys[index];
        if (!Number.isFinite(y) || (log && y <= 0)) continue;
        if (y < lo) lo = y;
        if (y > hi) hi = y;
      }
    }
  }
  return log ? logAir(lo, hi) : air(lo, hi);
}

/** @param {number} lo @param {number} hi @returns {Window} */
function air(lo, hi) {
  if (lo > hi) return [0, 1];
  if (lo === hi) return lo === 0 ? [-1, 1] : [lo - Math.abs(lo) * 0.1, hi + Math.abs(hi) * 0.1];
  const margin = (hi - lo) * 0.06;
  return [lo - margin, hi + margin];
}

/** @param {number} lo @param {number} hi @returns {Window} */
function logAir(lo, hi) {
  if (lo > hi) return [0.1, 10];
  if (lo === hi) return [lo / 2, hi * 2];
  const margin = (hi / lo) ** 0.06;
  return [lo / margin, hi * margin];
}
