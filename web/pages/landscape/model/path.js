// The path of a training over a landscape: at which steps its checkpoints lie, and where it is at a step.

/** @typedef {object} Path
 * @property {Float64Array} x
 * @property {Float64Array} y
 * @property {Float64Array} z losses on the surface
 * @property {number[]} intervals epochs or steps of the checkpoints, as the metadata says; empty when the file has none
 * @property {Float64Array | null} steps training steps of the checkpoints; null when they cannot be told
 */

/** @param {ArrayLike<number>} intervals @param {string | null} unit @param {number | null} stepsPerEpoch
 * @returns {Float64Array | null} */
export function stepsOf(intervals, unit, stepsPerEpoch) {
  if (!intervals.length) return null;
  const isAscending = Array.from(intervals).every((one, at) => at === 0 || one > intervals[at - 1]);
  if (!isAscending) return null;
  if (unit === "step") return Float64Array.from(intervals);
  return unit === "epoch" && stepsPerEpoch ? Float64Array.from(intervals, (epoch) => epoch * stepsPerEpoch) : null;
}

/** Of each checkpoint its place in time: its step, or the how-manieth it is.
 * @param {Path} path */
export const timesOf = ({ steps, x }) => steps ?? Float64Array.from(x, (_, place) => place + 1);

/** The last checkpoint at or before a time, -1 before the first.
 * @param {ArrayLike<number>} times @param {number} time */
export function reached(times, time) {
  let at = -1;
  for (let next = 0; next < times.length && times[next] <= time; next++) at = next;
  return at;
}

/** Where the training is at a time, on the straight line between two checkpoints; before the first at the first,
 * behind the last at the last.
 * @param {Path} path @param {number} time */
export function pointAt(path, time) {
  const times = timesOf(path);
  const from = Math.max(0, reached(times, time));
  const to = Math.min(from + 1, times.length - 1);
  const share = to === from || time <= times[from] ? 0 : (time - times[from]) / (times[to] - times[from]);
  const between = (/** @type {Float64Array} */ column) =>
    share === 0 ? column[from] : column[from] + (column[to] - column[from]) * share;
  return { x: between(path.x), y: between(path.y), z: between(path.z), checkpoint: from, isBetween: share > 0 };
}
