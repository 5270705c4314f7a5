// The stretch in which nearly all values of many histograms lie together: what is outside are outliers.

import { percentile } from "../../../charts/histogram/buckets.js";

/** @typedef {import("../../../charts/histogram/buckets.js").Distribution} Distribution */

/** The share of all values that may lie below the stretch, and above. */
const TRIMMED = 0.001;
/** Halvings that bring any two doubles as near to each other as matters. */
const MOST_HALVINGS = 200;

/** From the 0.1 to the 99.9 percentile of all values together; null without values.
 * @param {Distribution[]} distributions @returns {[number, number] | null} */
export function trimmedExtent(distributions) {
  const filled = distributions.filter(({ total }) => total > 0);
  return filled.length ? [lowEnd(filled, 1), -lowEnd(filled, -1)] : null;
}

/** The value below which the share lies that is trimmed. It is between those of the histograms one by one.
 * @param {Distribution[]} filled
 * @param {1 | -1} sign -1 looks at all values with the other sign: the high end is a low one then */
function lowEnd(filled, sign) {
  const ends = filled.map((row) => sign * percentile(row, sign > 0 ? TRIMMED : 1 - TRIMMED));
  const wanted = TRIMMED * filled.reduce((sum, { total }) => sum + total, 0);
  let low = ends.reduce((one, other) => Math.min(one, other));
  let high = ends.reduce((one, other) => Math.max(one, other));
  for (
    let times = 0;
    times < MOST_HALVINGS && high / 2 - low / 2 > Math.max(Math.abs(low), Math.abs(high)) * 1e-12;
    times++
  ) {
    const middle = low / 2 + high / 2;
    if (filled.reduce((sum, row) => sum + countUpTo(row, middle, sign), 0) < wanted) low = middle;
    else high = middle;
  }
  return low; // Not high: many equal values, zeros for example, belong inside.
}

/** How many values are not above one, as if those of a bucket were spread evenly over it. Halves, because a bucket
 * may reach over all doubles.
 * @param {Distribution} distribution @param {number} value @param {1 | -1} sign */
function countUpTo({ left, right, counts }, value, sign) {
  const [from, to] = sign > 0 ? [left, right] : [right, left];
  let sum = 0;
  for (let place = 0; place < counts.length; place++) {
    const index = sign > 0 ? place : counts.length - 1 - place;
    if (sign * from[index] > value) break;
    const width = Math.abs(to[index] / 2 - from[index] / 2);
    sum += counts[index] * (width > 0 ? Math.min(1, (value / 2 - (sign * from[index]) / 2) / width) : 1);
  }
  return sum;
}
