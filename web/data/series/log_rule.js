// Whether numbers are read better on a logarithmic scale.

/**
 * The scale is logarithmic if hi / lo is at least the first, and the relative position of the mean is below the second.
 */
const MIN_LOG_RATIO = 100;
const MAX_LOG_MEAN = 0.3;

/** @param {number} lo @param {number} hi @param {() => number} mean */
export const isLogBetter = (lo, hi, mean) =>
  lo > 0 && hi / lo >= MIN_LOG_RATIO && (mean() - lo) / (hi - lo) < MAX_LOG_MEAN;
