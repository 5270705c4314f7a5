// The range of an axis: over the visible points, with a small margin.

import { lowerBound } from "./binary_search.js";

/** @typedef {import("../data/view/address.js").Window} Window */

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

/** What is drawn along xs: lines, and what is behind them. A y range follows the lines.
 * @typedef {{xs: ArrayLike<number>, columns: ArrayLike<number>[], behind?: ArrayLike<number> | null}} Drawn */

/** How a y range is found: of all values, or the robust one; `also` are values that are always included.
 * @typedef {{log: boolean, isRobust: boolean, also?: number[]}} How */

/** The share of values at either end that a robust range may leave out. */
const TAIL = 0.05;
/** How far it reaches beyond the others, as a share of their range. */
const REACH = 0.25;
/** It leaves values out only if the others would have a smaller share of the axis. */
const LEAST_SHARE = 1 / 3;
/** Larger columns are sampled to find the quantiles. */
const MAX_SORTED = 20_000;
/** The room beyond a range, as shares of it: the least, and the most, if there is something behind the lines. */
const MARGIN = 0.06;
const MAX_MARGIN = 0.15;
/** Ends of a range are multiples of a round number that is at most this share of it: it is the same for most events of a
 * live run. */
const GRID = 0.05;

/** Returns the range of the y axis over the points in a window.
 * @param {Iterable<Drawn>} lines @param {Window} window @param {How} how @returns {Window} */
export function yExtent(lines, window, { log, isRobust, also = [] }) {
  const all = [...lines];
  const values = valuesIn(all, ({ columns }) => columns, window, log);
  const [lo, hi] = isRobust ? robustRange(values) : rangeOf(values);
  const behind = valuesIn(all, ({ behind: column }) => (column ? [column] : []), window, log);
  const whole = isRobust ? robustRange(behind) : rangeOf(behind);
  const fixed = also.filter((value) => !log || value > 0).map((value) => (log ? Math.log10(value) : value));
  const range = isRobust ? { lo, hi, whole } : { lo: Math.min(lo, whole[0]), hi: Math.max(hi, whole[1]), whole };
  const [low, high] = withRoom({ ...range, lo: Math.min(range.lo, ...fixed), hi: Math.max(range.hi, ...fixed) }, log);
  return log ? [10 ** low, 10 ** high] : [low, high];
}

/** Returns the range of most values: of all, unless a few would squeeze the others; [Infinity, -Infinity] without values.
 * @param {number[]} values @param {number} [reach] beyond those that are not in the tails, as a share of their range
 * @returns {Window} */
export function robustRange(values, reach = REACH) {
  const [least, most] = rangeOf(values);
  const stride = Math.ceil(values.length / MAX_SORTED);
  const sample = stride > 1 ? values.filter((_, place) => place % stride === 0) : values;
  const sorted = Float64Array.from(sample).sort();
  const at = (/** @type {number} */ share) => sorted[Math.round(share * (sorted.length - 1))];
  const [low, high] = [at(TAIL), at(1 - TAIL)];
  if (!(high > low) || high - low >= LEAST_SHARE * (most - least)) return [least, most];
  const beyond = reach * (high - low);
  return [Math.max(least, low - beyond), Math.min(most, high + beyond)];
}

/** @param {number[]} values @returns {Window} */
function rangeOf(values) {
  let lo = Infinity;
  let hi = -Infinity;
  for (const value of values) {
    if (value < lo) lo = value;
    if (value > hi) hi = value;
  }
  return [lo, hi];
}

/** Returns the finite values whose x is in the window; on a logarithmic axis, the logarithms of the positive ones.
 * @param {Drawn[]} lines @param {(line: Drawn) => ArrayLike<number>[]} columnsOf @param {Window} window
 * @param {boolean} log */
function valuesIn(lines, columnsOf, [left, right], log) {
  const values = [];
  for (const line of lines) {
    const begin = lowerBound(line.xs, left);
    const end = lowerBound(line.xs, right + (right - left) * 1e-9);
    for (const ys of columnsOf(line)) {
      for (let index = begin; index < Math.min(end + 1, ys.length); index++) {
        const y = log ? Math.log10(ys[index]) : ys[index];
        if (Number.isFinite(y)) values.push(y);
      }
    }
  }
  return values;
}

/** The share of a value within which others differ from it by rounding, as the mean of equal values does. */
const ROUNDING = 1e-12;

/** Adds room for what is behind the lines, and rounds outwards.
 * @param {{lo: number, hi: number, whole: Window}} range @param {boolean} log @returns {Window} */
function withRoom({ lo, hi, whole }, log) {
  if (lo > hi) return log ? [-1, 1] : [0, 1];
  const size = hi - lo;
  if (log ? size <= ROUNDING : size <= ROUNDING * Math.max(Math.abs(lo), Math.abs(hi))) return aroundOne(lo, hi, log);
  const room = (/** @type {number} */ beyond) => Math.min(Math.max(MARGIN * size, beyond), MAX_MARGIN * size);
  if (size === Infinity) return [lo, hi];
  const step = roundStep(GRID * size);
  return [Math.floor((lo - room(lo - whole[0])) / step) * step, Math.ceil((hi + room(whole[1] - hi)) / step) * step];
}

/** @param {number} lo @param {number} hi @param {boolean} log @returns {Window} */
function aroundOne(lo, hi, log) {
  if (log) return [lo - Math.log10(2), hi + Math.log10(2)];
  return lo === 0 ? [-1, 1] : [lo - Math.abs(lo) * 0.1, hi + Math.abs(hi) * 0.1];
}

/** Returns the largest of 1, 2, 5, 10, 20, ... that is at most a size. @param {number} size */
function roundStep(size) {
  const unit = 10 ** Math.floor(Math.log10(size));
  return unit * (size >= 5 * unit ? 5 : size >= 2 * unit ? 2 : 1);
}
