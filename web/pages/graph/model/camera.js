// Which part of a graph is in sight: the point in the middle of the frame, and how large it is drawn.

/** @typedef {{x: number, y: number, scale: number}} Camera */
/** @typedef {{width: number, height: number}} Size */
/** @typedef {{left: number, top: number}} Place in pixels of the frame */
/** @typedef {{x: number, y: number, width: number, height: number}} Rectangle */

const SMALLEST = 0.02;
const LARGEST = 4;
const MARGIN = 24;

/** @param {number} scale */
const within = (scale) => Math.min(LARGEST, Math.max(SMALLEST, scale));

/** A rectangle as large as it fits, but no larger than drawn. @param {Rectangle} rectangle @param {Size} frame @returns {Camera} */
export function fitting({ x, y, width, height }, frame) {
  const scale = Math.min(
    (frame.width - 2 * MARGIN) / Math.max(1, width),
    (frame.height - 2 * MARGIN) / Math.max(1, height),
    1.25,
  );
  return { x: x + width / 2, y: y + height / 2, scale: within(scale) };
}

/** @param {Camera} camera @param {Size} frame @param {Place} at @returns {{x: number, y: number}} */
export const pointAt = (camera, frame, { left, top }) => ({
  x: camera.x + (left - frame.width / 2) / camera.scale,
  y: camera.y + (top - frame.height / 2) / camera.scale,
});

/** What is under the place stays there. @param {Camera} camera @param {number} factor @param {Size} frame @param {Place} [at] @returns {Camera} */
export function zoomed(camera, factor, frame, at = { left: frame.width / 2, top: frame.height / 2 }) {
  const scale = within(camera.scale * factor);
  const point = pointAt(camera, frame, at);
  return { scale, x: point.x - (at.left - frame.width / 2) / scale, y: point.y - (at.top - frame.height / 2) / scale };
}

/** What is in sight. @param {Camera} camera @param {Size} frame @returns {Rectangle} */
export const inSight = ({ x, y, scale }, { width, height }) => ({
  x: x - width / scale / 2,
  y: y - height / scale / 2,
  width: width / scale,
  height: height / scale,
});

/** Never so far that nothing of the graph is in sight. @param {Camera} camera @param {Size} graph @returns {Camera} */
export const held = ({ x, y, scale }, { width, height }) => ({
  scale,
  x: Math.max(0, Math.min(width, x)),
  y: Math.max(0, Math.min(height, y)),
});
