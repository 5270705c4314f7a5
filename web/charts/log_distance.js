// Distances on a logarithmic axis, which keep their digits in narrow ranges, whose logarithms differ in few.

/** Returns a function from values to their distances from the lower bound of a window.
 * @param {number} lo above zero @param {number} hi @returns {(value: number) => number} */
export function logDistance(lo, hi) {
  if (hi < 2 * lo) return (value) => Math.log1p((value - lo) / lo);
  const start = Math.log10(lo);
  return (value) => Math.log10(value) - start;
}
