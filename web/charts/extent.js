// How far an axis reaches: over the points in view, with a little air.

import { lowerBound } from "./search.js";

/** @typedef {import("../data/address.js").Window} Window */

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

/** What lies in the first and the last so much of all values is an outlier. */
const TAIL = 0.02;
/** More values than this are sampled to find where the tails begin. */
const MOST_SORTED = 20_000;

/** How far the y axis reaches over what lies in the window.
 * @param {Iterable<{xs: ArrayLike<number>, columns: ArrayLike<number>[]}>} lines
 * @param {Window} window @param {{log: boolean, trimmed: boolean, also?: number[]}} how trimmed: outliers may lie beyond;
 * also: heights that are to be seen in any case @returns {Window} */
export function yExtent(lines, window, { log, trimmed, also = [] }) {
  /** @type {number[]} */
  const values = [];
  let lo = Infinity;
  let hi = -Infinity;
  for (const value of heights(lines, window, log)) {
    if (value < lo) lo = value;
    if (value > hi) hi = value;
    if (trimmed) values.push(value);
  }
  if (trimmed && values.length) [lo, hi] = withoutTails(values);
  for (const value of also) if (!log || value > 0) [lo, hi] = [Math.min(lo, value), Math.max(hi, value)];
  return log ? logAir(lo, hi) : air(lo, hi);
}

/** The finite (for a logarithm: positive) values whose x lies in the window.
 * @param {Iterable<{xs: ArrayLike<number>, columns: ArrayLike<number>[]}>} lines @param {Window} window @param {boolean} log */
function* heights(lines, [left, right], log) {
  for (const { xs, columns } of lines) {
    const begin = lowerBound(xs, left);
    const end = lowerBound(xs, right + (right - left) * 1e-9);
    for (const ys of columns) {
      for (let index = begin; index < Math.min(end + 1, ys.length); index++) {
        const y = ys[index];
        if (Number.isFinite(y) && (!log || y > 0)) yield y;
      }
    }
  }
}

/** @param {number[]} values @returns {Window} */
function withoutTails(values) {
  const stride = Math.ceil(values.length / MOST_SORTED);
  const sorted = Float64Array.from(
    { length: Math.ceil(values.length / stride) },
    (_, place) => values[place * stride],
  ).sort();
  const at = (/** @type {number} */ share) => sorted[Math.round(share * (sorted.length - 1))];
  return [at(TAIL), at(1 - TAIL)];
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
