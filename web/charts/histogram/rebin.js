// Histograms of differing buckets on one grid of equal bins, so that steps and runs can be compared.

/** @typedef {import("./buckets.js").Distribution} Distribution */

/** Equal bins from `lo` to `hi`.
 * @typedef {{lo: number, hi: number, bins: number}} Grid */

/** A grid over an extent; one value alone stands in the middle of its grid.
 * @param {readonly [number, number]} extent @param {number} bins @returns {Grid} */
export function gridOver([lo, hi], bins) {
  const least = Math.max(Math.abs(lo), Math.abs(hi)) * 1e-9;
  if (hi - lo > least) return { lo, hi, bins };
  const air = Math.abs(lo) * 0.1 || 0.5;
  return { lo: lo - air, hi: hi + air, bins: bins % 2 ? bins : bins + 1 };
}

/** Where a value lies, in bins from the left. The parts are divided before they are subtracted: a grid may reach
 * over all doubles.
 * @param {Grid} grid @param {number} value */
function place({ lo, hi, bins }, value) {
  const width = hi / bins - lo / bins;
  return Math.min(bins, Math.max(0, value / width - lo / width));
}

/** The left edge of a bin; of the bin behind the last one, the right end.
 * @param {Grid} grid @param {number} bin */
export const edgeOf = ({ lo, hi, bins }, bin) => (bin === bins ? hi : lo + (hi / bins - lo / bins) * bin);

/** The bin a value lies in; the last one holds its right edge too.
 * @param {Grid} grid @param {number} value */
export const binOf = (grid, value) => Math.min(grid.bins - 1, Math.floor(place(grid, value)));

/** Counts by bin. A bucket is shared out among the bins it overlaps, by how much of it lies in each; one without
 * width goes whole into its bin.
 * What lies outside of the grid is in none.
 * The parts are rounded to a fraction 2^-k so small that all sums of them are exact: a histogram of whole counts
 * keeps its total to the last digit.
 * @param {Distribution} distribution @param {Grid} grid */
export function rebin({ left, right, counts, total }, grid) {
  const bins = new Float64Array(grid.bins);
  const grain = 2 ** (Math.ceil(Math.log2(total || 1)) - 52);
  for (let index = 0; index < counts.length; index++) {
    const from = place(grid, left[index]);
    const to = place(grid, right[index]);
    const last = Math.min(grid.bins - 1, Math.ceil(to) - 1);
    const inside = shareInside(left[index], right[index], grid);
    if (!inside) continue;
    const count = inside === 1 ? counts[index] : Math.round((counts[index] * inside) / grain) * grain;
    let given = 0;
    let bin = Math.min(grid.bins - 1, Math.floor(from));
    for (; bin < last; bin++) {
      const upTo = Math.round((count * ((bin + 1 - from) / (to - from))) / grain) * grain;
      bins[bin] += upTo - given;
      given = upTo;
    }
    bins[bin] += count - given;
  }
  return bins;
}

/** The share of a bucket that a grid reaches over. Halves, because a bucket may reach over all doubles.
 * @param {number} left @param {number} right @param {Grid} grid */
function shareInside(left, right, { lo, hi }) {
  if (left >= lo && right <= hi) return 1;
  return Math.max(0, Math.min(right, hi) / 2 - Math.max(left, lo) / 2) / (right / 2 - left / 2) || 0;
}

/** @type {WeakMap<Distribution, {grid: Grid, bins: Float64Array}>} */
const known = new WeakMap();

/** As `rebin`, computed once for as long as the grid stays.
 * @param {Distribution} distribution @param {Grid} grid */
export function binsOf(distribution, grid) {
  const last = known.get(distribution);
  if (last && last.grid.lo === grid.lo && last.grid.hi === grid.hi && last.grid.bins === grid.bins) return last.bins;
  const bins = rebin(distribution, grid);
  known.set(distribution, { grid, bins });
  return bins;
}

/** Steps that rise more than so many times as high as nearly all others are cut. */
const CUT_FROM = 3;
/** How much higher than nearly all steps the scale reaches then. */
const CUT_AT = 1.5;

/** How high the scale of counts reaches, and the largest count in a bin. Mostly these are the same; but where a step
 * or two stand far above
 * all others (all weights zero at first), the others would be flat beside them: the scale ends below, and whoever
 * draws says so.
 * @param {Distribution[]} distributions @param {Grid} grid */
export function countScale(distributions, grid) {
  const peaks = distributions.map((distribution) =>
    binsOf(distribution, grid).reduce((most, count) => Math.max(most, count), 0),
  );
  peaks.sort((one, other) => one - other);
  const highest = peaks.at(-1) ?? 0;
  const usual = peaks[Math.floor(0.9 * (peaks.length - 1))] ?? 0;
  return { tallest: usual > 0 && highest > CUT_FROM * usual ? CUT_AT * usual : highest, highest };
}
