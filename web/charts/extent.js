// The range of an axis: over the visible points, with a small margin.

import { lowerBound } from "./binary_search.js";

/** @typedef {import("../data/address.js").Window} Window */

/** Returns the range from the first to the last x of all columns; null if there is none.
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

/** The share of values at either end that count as outliers. */
const TAIL = 0.02;
/** Larger columns are sampled to find the quantiles. */
const MOST_SORTED = 20_000;

/** Returns the range of the y axis over the points in a window.
 * @param {Iterable<{xs: ArrayLike<number>, columns: ArrayLike<number>[]}>} lines
 * @param {Window} window @param {{log: boolean, trimmed: boolean, also?: number[]}} how trimmed: without outliers;
 * also: values that are always included @returns {Window} */
export function yExtent(lines, window, { log, trimmed, also = [] }) {
  /** @type {number[]} */
  const values = [];
  let lo = Infinity;
  let hi = -Infinity;
  for (const value of valuesIn(lines, window, log)) {
    if (value < lo) lo = value;
    if (value > hi) hi = value;
    if (trimmed) values.push(value);
  }
  if (trimmed && values.length) [lo, hi] = withoutTails(values);
  for (const value of also) if (!log || value > 0) [lo, hi] = [Math.min(lo, value), Math.max(hi, value)];
  return log ? withLogMargin(lo, hi) : withMargin(lo, hi);
}

/** Yields the finite (on a logarithmic axis: positive) values whose x is in the window.
 * @param {Iterable<{xs: ArrayLike<number>, columns: ArrayLike<number>[]}>} lines @param {Window} window
 * @param {boolean} log */
function* valuesIn(lines, [left, right], log) {
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

/** The share of a value within which others differ from it by rounding, as the mean of equal values does. */
const ROUNDING = 1e-12;

/** @param {number} lo @param {number} hi */
const areEqual = (lo, hi) => hi - lo <= ROUNDING * Math.max(Math.abs(lo), Math.abs(hi));

/** @param {number} lo @param {number} hi @returns {Window} */
function withMargin(lo, hi) {
  if (lo > hi) return [0, 1];
  if (areEqual(lo, hi)) return lo === 0 ? [-1, 1] : [lo - Math.abs(lo) * 0.1, hi + Math.abs(hi) * 0.1];
  const margin = (hi - lo) * 0.06;
  return [lo - margin, hi + margin];
}

/** @param {number} lo @param {number} hi @returns {Window} */
function withLogMargin(lo, hi) {
  if (lo > hi) return [0.1, 10];
  if (areEqual(lo, hi)) return [lo / 2, hi * 2];
  const margin = (hi / lo) ** 0.06;
  return [lo / margin, hi * margin];
}
