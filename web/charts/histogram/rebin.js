// Rebins histograms with different buckets onto one grid of equal bins, so that steps and runs can be compared.

/** @typedef {import("./buckets.js").Distribution} Distribution */

/** Equal bins from `lo` to `hi`.
 * @typedef {{lo: number, hi: number, bins: number}} Grid */

/** Returns a grid over an extent. A single value is centred in its grid.
 * @param {readonly [number, number]} extent @param {number} bins @returns {Grid} */
export function gridOver([lo, hi], bins) {
  const least = Math.max(Math.abs(lo), Math.abs(hi)) * 1e-9;
  if (hi - lo > least) return { lo, hi, bins };
  const padding = Math.abs(lo) * 0.1 || 0.5;
  return { lo: lo - padding, hi: hi + padding, bins: bins % 2 ? bins : bins + 1 };
}

/** The position of a value in bins from the left, clamped to the grid. Divides before subtracting, since a grid may
 * span all doubles.
 * @param {Grid} grid @param {number} value */
function binPosition({ lo, hi, bins }, value) {
  const width = hi / bins - lo / bins;
  return Math.min(bins, Math.max(0, value / width - lo / width));
}

/** The left edge of a bin; for `bin === bins`, the right end of the grid.
 * @param {Grid} grid @param {number} bin */
export const edgeOf = ({ lo, hi, bins }, bin) => (bin === bins ? hi : lo + (hi / bins - lo / bins) * bin);

/** The bin that contains a value. The last bin includes its right edge.
 * @param {Grid} grid @param {number} value */
export const binOf = (grid, value) => Math.min(grid.bins - 1, Math.floor(binPosition(grid, value)));

/** Distributes the buckets over the bins in proportion to their overlap. A bucket without width goes into one bin;
 * what is outside the grid is dropped. Parts are rounded to multiples of a power of two small enough that all sums
 * are exact, so a histogram of whole counts keeps its exact total.
 * @param {Distribution} distribution @param {Grid} grid */
export function rebin({ left, right, counts, total }, grid) {
  const bins = new Float64Array(grid.bins);
  const quantum = 2 ** (Math.ceil(Math.log2(total || 1)) - 52);
  for (let index = 0; index < counts.length; index++) {
    const from = binPosition(grid, left[index]);
    const to = binPosition(grid, right[index]);
    const last = Math.min(grid.bins - 1, Math.ceil(to) - 1);
    const inside = shareInGrid(left[index], right[index], grid);
    if (!inside) continue;
    const count = inside === 1 ? counts[index] : Math.round((counts[index] * inside) / quantum) * quantum;
    let assigned = 0;
    let bin = Math.min(grid.bins - 1, Math.floor(from));
    for (; bin < last; bin++) {
      const upTo = Math.round((count * ((bin + 1 - from) / (to - from))) / quantum) * quantum;
      bins[bin] += upTo - assigned;
      assigned = upTo;
    }
    bins[bin] += count - assigned;
  }
  return bins;
}

/** The share of a bucket inside the grid. Computed with halves, since a bucket may span all doubles.
 * @param {number} left @param {number} right @param {Grid} grid */
function shareInGrid(left, right, { lo, hi }) {
  if (left >= lo && right <= hi) return 1;
  return Math.max(0, Math.min(right, hi) / 2 - Math.max(left, lo) / 2) / (right / 2 - left / 2) || 0;
}

/** @type {WeakMap<Distribution, {grid: Grid, bins: Float64Array}>} */
const binCache = new WeakMap();

/** Like `rebin`, cached for the last grid.
 * @param {Distribution} distribution @param {Grid} grid */
export function binsOf(distribution, grid) {
  const last = binCache.get(distribution);
  if (last && last.grid.lo === grid.lo && last.grid.hi === grid.hi && last.grid.bins === grid.bins) return last.bins;
  const bins = rebin(distribution, grid);
  binCache.set(distribution, { grid, bins });
  return bins;
}

/** A peak is clipped if it is this many times higher than nearly all others. */
const CUT_FROM = 3;
/** The scale then ends at this multiple of the typical peak. */
const CUT_AT = 1.5;

/** Returns the top of the count scale and the largest count in a bin. They differ if a few steps are far above the
 * others (for example all weights zero at first), which would flatten the rest; the drawing then states that it
 * clips.
 * @param {Distribution[]} distributions @param {Grid} grid */
export function countScale(distributions, grid) {
  const peaks = distributions.map((distribution) =>
    binsOf(distribution, grid).reduce((most, count) => Math.max(most, count), 0),
  );
  peaks.sort((a, b) => a - b);
  const largest = peaks.at(-1) ?? 0;
  const typical = peaks[Math.floor(0.9 * (peaks.length - 1))] ?? 0;
  return { scaleTop: typical > 0 && largest > CUT_FROM * typical ? CUT_AT * typical : largest, largest };
}
