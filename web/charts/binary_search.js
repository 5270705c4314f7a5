// Binary searches over ascending columns: the nearest point, the points in a window.

/** Returns the first index whose x is not below `target`.
 * @param {ArrayLike<number>} xs @param {number} target */
export function lowerBound(xs, target) {
  let lo = 0;
  let hi = xs.length;
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (xs[middle] < target) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}

/** Returns the index of the point nearest to `target`, -1 if there is none.
 * @param {ArrayLike<number>} xs @param {number} target */
export function nearest(xs, target) {
  const right = lowerBound(xs, target);
  if (right === xs.length) return right - 1;
  if (right === 0) return 0;
  return target - xs[right - 1] <= xs[right] - target ? right - 1 : right;
}

/** Returns the y of a line at `target`, interpolated; NaN without points, the first or last y beyond the ends.
 * @param {ArrayLike<number>} xs @param {ArrayLike<number>} ys @param {number} target */
export function heightAt(xs, ys, target) {
  const right = lowerBound(xs, target);
  if (right === xs.length) return xs.length ? ys[right - 1] : NaN;
  if (right === 0 || xs[right] === target) return ys[right];
  const share = (target - xs[right - 1]) / (xs[right] - xs[right - 1]);
  const height = ys[right - 1] + share * (ys[right] - ys[right - 1]);
  return Number.isFinite(height) ? height : ys[nearest(xs, target)];
}
