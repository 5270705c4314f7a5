// Histograms as the server lists them, and what can be read off their buckets: extremes, shares, percentiles.

import { lowerBound } from "../binary_search.js";

/** How the values of a tensor were distributed at one step; null stands for what the file does not say.
 * @typedef {object} Distribution
 * @property {number} step
 * @property {number} wallTime seconds since 1970
 * @property {number} count all values, NaN and infinities included
 * @property {number | null} min over the finite values, like max and sum
 * @property {number | null} max
 * @property {number | null} sum
 * @property {number} nan
 * @property {number} posInf
 * @property {number} negInf
 * @property {Float64Array} left edges of the buckets that hold something, ascending
 * @property {Float64Array} right
 * @property {Float64Array} counts
 * @property {number} total of those buckets
 */

/** One run's distributions of a tag, with their places on the axis that is chosen, ascending.
 * @typedef {object} Line
 * @property {string} run
 * @property {import("../../data/run_styles.js").LineStyle} style
 * @property {Distribution[]} rows
 * @property {Float64Array} at
 */

/** What the bands reach over: half of one to a bit more than two standard deviations of a normal distribution, and
 * all. */
export const SHARES = [0, 0.07, 0.16, 0.31, 0.5, 0.69, 0.84, 0.93, 1];

/** @type {WeakMap<object, Distribution[]>} */
const read = new WeakMap();

/** The distributions of a reply, by step; a reply is read once.
 * @param {{histograms: any[]}} reply */
export function distributionsOf(reply) {
  const known = read.get(reply);
  if (known) return known;
  const distributions = reply.histograms.map(distributionOf);
  read.set(reply, distributions);
  return distributions;
}

/** @param {unknown} value a number, its name ("NaN", "Infinity"), or null */
const numberOf = (value) => (value === null ? null : Number(value));

/** @param {any} entry @returns {Distribution} */
function distributionOf(entry) {
  const min = numberOf(entry.min);
  const max = numberOf(entry.max);
  /** @type {{left: number[], right: number[], counts: number[]}} */
  const { left, right, counts } = { left: [], right: [], counts: [] };
  let total = 0;
  for (const bucket of entry.buckets) {
    const [from, width, count] = [Number(bucket[0]), Number(bucket[1]), Number(bucket[2])];
    if (!(count > 0 && Number.isFinite(from + width))) continue;
    const [lo, hi] = within(from, from + Math.max(0, width), min, max);
    left.push(lo);
    right.push(hi);
    counts.push(count);
    total += count;
  }
  return {
    step: entry.step,
    wallTime: Number(entry.wall_time),
    count: Number(entry.count),
    min,
    max,
    sum: numberOf(entry.sum),
    nan: entry.nan_count ?? 0,
    posInf: entry.pos_inf_count ?? 0,
    negInf: entry.neg_inf_count ?? 0,
    left: Float64Array.from(left),
    right: Float64Array.from(right),
    counts: Float64Array.from(counts),
    total,
  };
}

/** An outer bucket may be wider than what is in it: no value lies beyond the extremes.
 * @param {number} left @param {number} right @param {number | null} min @param {number | null} max */
function within(left, right, min, max) {
  if (min === null || max === null || !(right >= min && left <= max)) return [left, right];
  return [Math.max(left, min), Math.min(right, max)];
}

/** Values that lie in no bucket and are not told as NaN or infinite: the file does not say where they are.
 * @param {Distribution} distribution */
export const unplaced = ({ count, nan, posInf, negInf, total }) => Math.max(0, count - nan - posInf - negInf - total);

/** @param {Distribution} distribution */
export const nonFiniteCount = ({ nan, posInf, negInf }) => nan + posInf + negInf;

/** @param {Distribution} distribution null when it is not known, or no value is finite */
export const meanOf = ({ sum, total }) => (sum === null || !total ? null : sum / total);

/** From the lowest to the highest edge; null when nothing is in any bucket.
 * @param {Iterable<Distribution>} distributions @returns {[lo: number, hi: number] | null} */
export function valueExtent(distributions) {
  let lo = Infinity;
  let hi = -Infinity;
  for (const { left, right } of distributions) {
    for (let index = 0; index < left.length; index++) {
      if (left[index] < lo) lo = left[index];
      if (right[index] > hi) hi = right[index];
    }
  }
  return lo <= hi ? [lo, hi] : null;
}

/** The value below which a share of the values lies, as if those of a bucket were spread evenly over it; NaN without
 * values.
 * @param {Distribution} distribution @param {number} share 0 to 1 */
export function percentile({ left, right, counts, total, min, max }, share) {
  if (!counts.length) return NaN;
  if (share <= 0) return min ?? left[0];
  if (share >= 1) return max ?? right[right.length - 1];
  let below = 0;
  for (let index = 0; index < counts.length; index++) {
    const part = (share * total - below) / counts[index];
    const half = right[index] / 2 - left[index] / 2; // A bucket may reach over all doubles.
    if (part <= 1) return left[index] + half * part + half * part;
    below += counts[index];
  }
  return right[right.length - 1];
}

/** @type {WeakMap<Distribution, number[]>} */
const known = new WeakMap();

/** The values at SHARES.
 * @param {Distribution} distribution */
export function percentiles(distribution) {
  const values = known.get(distribution) ?? SHARES.map((share) => percentile(distribution, share));
  known.set(distribution, values);
  return values;
}

/** The share of the values that lie below one.
 * @param {Distribution} distribution @param {number} value */
export function shareBelow({ left, right, counts, total }, value) {
  let below = 0;
  for (let index = 0; index < counts.length && left[index] <= value; index++) {
    const width = right[index] - left[index];
    below += counts[index] * (width > 0 ? Math.min(1, (value - left[index]) / width) : Number(value > left[index]));
  }
  return total ? below / total : NaN;
}

/** The row of the last step up to one; the first row when all come later; -1 without rows. Rows by wall time need
 * not be in the order of their steps.
 * @param {Distribution[]} rows @param {number} step */
export function rowAtStep(rows, step) {
  let found = -1;
  rows.forEach((row, index) => {
    if (row.step <= step && (found < 0 || row.step >= rows[found].step)) found = index;
  });
  return found < 0 && rows.length ? 0 : found;
}

/** A step that was recorded more than once is drawn as it was recorded last.
 * @param {Distribution[]} rows by step */
export const lastOfEachStep = (rows) => rows.filter((row, index) => row.step !== rows[index + 1]?.step);

/** The place nearest to one on the axis.
 * @param {Float64Array} at ascending @param {number} x */
export function nearestRow(at, x) {
  const right = lowerBound(at, x);
  return right > 0 && (right === at.length || x - at[right - 1] <= at[right] - x) ? right - 1 : right;
}
