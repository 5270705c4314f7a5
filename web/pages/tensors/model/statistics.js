// Statistics of elements that arrive in chunks: range, histogram, and differences of two tensors.

/**
 * @typedef {{min: number, max: number, nan: number, posInf: number, negInf: number, finite: number}} Extent of finite
 *   numbers
 */

/** @returns {Extent} */
export const emptyExtent = () => ({ min: Infinity, max: -Infinity, nan: 0, posInf: 0, negInf: 0, finite: 0 });

/** @param {Extent} extent @param {ArrayLike<number>} numbers */
export function extendExtent(extent, numbers) {
  let { min, max } = extent;
  for (let index = 0; index < numbers.length; index++) {
    const value = numbers[index];
    if (Number.isFinite(value)) {
      extent.finite++;
      if (value < min) min = value;
      if (value > max) max = value;
    } else if (value === Infinity) extent.posInf++;
    else if (value === -Infinity) extent.negInf++;
    else extent.nan++;
  }
  extent.min = min;
  extent.max = max;
}

/** The start, width and number of the bins of a histogram; integers get bins of integer width.
 * @param {number} min @param {number} max @param {boolean} isWhole @param {number} maximum
 * @returns {{lo: number, width: number, bins: number}} */
export function binsOf(min, max, isWhole, maximum) {
  if (isWhole && max - min < 1e15) {
    const width = Math.max(1, Math.ceil((max - min + 1) / maximum));
    return { lo: min - 0.5, width, bins: Math.ceil((max - min + 1) / width) };
  }
  if (min === max) return { lo: min - (Math.abs(min) || 1) / 2, width: Math.abs(min) || 1, bins: 1 };
  return { lo: min, width: max / maximum - min / maximum, bins: maximum };
}

/** @param {Float64Array} counts @param {ArrayLike<number>} numbers @param {number} lo @param {number} width */
export function countInto(counts, numbers, lo, width) {
  const last = counts.length - 1;
  for (let index = 0; index < numbers.length; index++) {
    const value = numbers[index];
    if (Number.isFinite(value)) counts[Math.max(0, Math.min(last, Math.floor((value - lo) / width)))]++;
  }
}

/** How far two tensors differ. `maxIndex` is the position of the largest difference, -1 if all are equal;
 * `notComparable` counts the elements of which at least one is not finite.
 * @typedef {{count: number, sum: number, max: number, maxIndex: number, unequal: number, notComparable: number}}
 *   Distance */

/** @returns {Distance} */
export const emptyDistance = () => ({ count: 0, sum: 0, max: 0, maxIndex: -1, unequal: 0, notComparable: 0 });

/** @param {Distance} distance @param {ArrayLike<number>} differences */
export function addDifferences(distance, differences) {
  for (let index = 0; index < differences.length; index++) {
    const size = Math.abs(differences[index]);
    if (!Number.isFinite(size)) distance.notComparable++;
    else if (size > 0) {
      distance.unequal++;
      distance.sum += size;
      if (size > distance.max) {
        distance.max = size;
        distance.maxIndex = distance.count + index;
      }
    }
  }
  distance.count += differences.length;
}
