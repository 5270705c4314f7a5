// The training path over a landscape: the steps of its checkpoints, and positions along it.

/** @typedef {object} Path
 * @property {Float64Array} x
 * @property {Float64Array} y
 * @property {Float64Array} z losses on the surface
 * @property {number[]} intervals epochs or steps of the checkpoints, by the unit in the metadata; empty if not in
 * the file
 * @property {Float64Array | null} steps training steps of the checkpoints; null if unknown */

/** @param {ArrayLike<number>} intervals @param {string | null} unit @param {number | null} stepsPerEpoch
 * @returns {Float64Array | null} */
export function stepsOf(intervals, unit, stepsPerEpoch) {
  if (!intervals.length) return null;
  const isAscending = Array.from(intervals).every((interval, at) => at === 0 || interval > intervals[at - 1]);
  if (!isAscending) return null;
  if (unit === "step") return Float64Array.from(intervals);
  return unit === "epoch" && stepsPerEpoch ? Float64Array.from(intervals, (epoch) => epoch * stepsPerEpoch) : null;
}

/** The times of the checkpoints: their steps, or else their numbers from one.
 * @param {Path} path */
export const timesOf = ({ steps, x }) => steps ?? Float64Array.from(x, (_, place) => place + 1);

/** The index of the last checkpoint at or before a time; -1 before the first.
 * @param {ArrayLike<number>} times @param {number} time */
export function lastCheckpointAt(times, time) {
  let at = -1;
  for (let next = 0; next < times.length && times[next] <= time; next++) at = next;
  return at;
}

/** The position at a time, interpolated linearly between checkpoints and clamped to the ends of the path.
 * @param {Path} path @param {number} time */
export function pointAt(path, time) {
  const times = timesOf(path);
  const from = Math.max(0, lastCheckpointAt(times, time));
  const to = Math.min(from + 1, times.length - 1);
  const share = to === from || time <= times[from] ? 0 : (time - times[from]) / (times[to] - times[from]);
  const between = (/** @type {Float64Array} */ column) =>
    share === 0 ? column[from] : column[from] + (column[to] - column[from]) * share;
  return { x: between(path.x), y: between(path.y), z: between(path.z), checkpoint: from, isBetween: share > 0 };
}
