// The part of space that views of a mesh show: one for all runs and steps, so that sizes are comparable. Pure.

/** A sphere. @typedef {{centre: number[], radius: number}} Frame */

const AXES = [0, 1, 2];

/** Returns a sphere around vertices; null if there are none. @param {Float32Array} vertices x, y, z of each, finite
 * @returns {Frame | null} */
export function frameOfVertices(vertices) {
  if (!vertices.length) return null;
  const [low, high] = [AXES.map(() => Infinity), AXES.map(() => -Infinity)];
  for (let at = 0; at < vertices.length; at++) {
    const [axis, place] = [at % 3, vertices[at]];
    if (place < low[axis]) low[axis] = place;
    if (place > high[axis]) high[axis] = place;
  }
  const centre = AXES.map((axis) => (low[axis] + high[axis]) / 2);
  let radius = 0;
  for (let at = 0; at < vertices.length; at += 3)
    radius = Math.max(
      radius,
      Math.hypot(vertices[at] - centre[0], vertices[at + 1] - centre[1], vertices[at + 2] - centre[2]),
    );
  return { centre, radius };
}

/** Returns a sphere around others. @param {readonly Frame[]} frames @returns {Frame} */
export function frameAround(frames) {
  if (!frames.length) return { centre: AXES.map(() => 0), radius: 1 };
  const centre = AXES.map((axis) => {
    const places = frames.map((frame) => frame.centre[axis]);
    return (Math.min(...places) + Math.max(...places)) / 2;
  });
  const reach = (/** @type {Frame} */ frame) =>
    frame.radius + Math.hypot(...AXES.map((axis) => frame.centre[axis] - centre[axis]));
  return { centre, radius: Math.max(...frames.map(reach)) || 1 };
}
