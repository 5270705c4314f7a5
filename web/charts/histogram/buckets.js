// Histograms parsed from the server's reply, and statistics computed from their buckets: extent, percentiles, shares.

import { lowerBound } from "../binary_search.js";

/** The distribution of a tensor's values at one step. null = not in the file.
 * @typedef {object} Distribution
 * @property {number} step
 * @property {number} wallTime seconds since 1970
 * @property {number} count of all values, including NaN and infinities
 * @property {number | null} min of the finite values; so are max and sum
 * @property {number | null} max
 * @property {number | null} sum
 * @property {number} nan
 * @property {number} posInf
 * @property {number} negInf
 * @property {Float64Array} left edges of the non-empty buckets, ascending
 * @property {Float64Array} right
 * @property {Float64Array} counts
 * @property {number} total of `counts` */

/** The distributions of one run and tag, ascending along the chosen axis.
 * @typedef {object} Line
 * @property {string} run
 * @property {import("../../data/colours/run_styles.js").LineStyle} style
 * @property {Distribution[]} rows
 * @property {Float64Array} at position of each row on the axis */

/** Percentiles as shares. The bands between them approximate 0.5, 1 and 1.5 standard deviations of a normal
 * distribution, and the full range. */
export const SHARES = [0, 0.07, 0.16, 0.31, 0.5, 0.69, 0.84, 0.93, 1];

/** @type {WeakMap<object, Distribution[]>} */
const replyCache = new WeakMap();

/** Parses a reply into distributions, by step. The result is cached.
 * @param {{histograms: any[]}} reply */
export function distributionsOf(reply) {
  const cached = replyCache.get(reply);
  if (cached) return cached;
  const distributions = reply.histograms.map(distributionOf);
  replyCache.set(reply, distributions);
  return distributions;
}

/** @param {unknown} value a number, "NaN", "Infinity" or null */
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
    const [lo, hi] = clipToExtremes(from, from + Math.max(0, width), min, max);
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

/** Clips a bucket to the recorded extremes: outer buckets may be wider than their values.
 * @param {number} left @param {number} right @param {number | null} min @param {number | null} max */
function clipToExtremes(left, right, min, max) {
  if (min === null || max === null || !(right >= min && left <= max)) return [left, right];
  return [Math.max(left, min), Math.min(right, max)];
}

/** The number of values that are neither in a bucket nor counted as NaN or infinite.
 * @param {Distribution} distribution */
export const unbucketed = ({ count, nan, posInf, negInf, total }) => Math.max(0, count - nan - posInf - negInf - total);

/** @param {Distribution} distribution */
export const nonFiniteCount = ({ nan, posInf, negInf }) => nan + posInf + negInf;

/** @param {Distribution} distribution null = not recorded, or no finite value */
export const meanOf = ({ sum, total }) => (sum === null || !total ? null : sum / total);

/** The lowest and highest bucket edge; null if all distributions are empty.
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

/** The value below which a share of the values is, assuming values evenly spread within each bucket; NaN
 * without
 * values.
 * @param {Distribution} distribution @param {number} share 0 to 1 */
export function percentile({ left, right, counts, total, min, max }, share) {
  if (!counts.length) return NaN;
  if (share <= 0) return min ?? left[0];
  if (share >= 1) return max ?? right[right.length - 1];
  let below = 0;
  for (let index = 0; index < counts.length; index++) {
    const part = (share * total - below) / counts[index];
    const half = right[index] / 2 - left[index] / 2; // Halves, since a bucket may span all doubles.
    if (part <= 1) return left[index] + half * part + half * part;
    below += counts[index];
  }
  return right[right.length - 1];
}

/** @type {WeakMap<Distribution, number[]>} */
const percentileCache = new WeakMap();

/** The percentiles at `SHARES`, cached.
 * @param {Distribution} distribution */
export function percentiles(distribution) {
  const values = percentileCache.get(distribution) ?? SHARES.map((share) => percentile(distribution, share));
  percentileCache.set(distribution, values);
  return values;
}

/** The share of the values below `value`; NaN without values.
 * @param {Distribution} distribution @param {number} value */
export function shareBelow({ left, right, counts, total }, value) {
  let below = 0;
  for (let index = 0; index < counts.length && left[index] <= value; index++) {
    const width = right[index] - left[index];
    below += counts[index] * (width > 0 ? Math.min(1, (value - left[index]) / width) : Number(value > left[index]));
  }
  return total ? below / total : NaN;
}

/** The index of the row with the last step <= `step`; 0 if all steps are later, -1 without rows. Rows sorted by wall
 * time need not be sorted by step.
 * @param {Distribution[]} rows @param {number} step */
export function rowAtStep(rows, step) {
  let latest = -1;
  rows.forEach((row, index) => {
    if (row.step <= step && (latest < 0 || row.step >= rows[latest].step)) latest = index;
  });
  return latest < 0 && rows.length ? 0 : latest;
}

/** Drops all but the last record of each step.
 * @param {Distribution[]} rows by step */
export const lastOfEachStep = (rows) => rows.filter((row, index) => row.step !== rows[index + 1]?.step);

/** The index of the position nearest to `x`.
 * @param {Float64Array} at ascending @param {number} x */
export function nearestRow(at, x) {
  const right = lowerBound(at, x);
  return right > 0 && (right === at.length || x - at[right - 1] <= at[right] - x) ? right - 1 : right;
}
