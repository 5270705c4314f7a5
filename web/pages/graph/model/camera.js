// The camera: the graph point at the centre of the frame, and the scale.

/** @typedef {{x: number, y: number, scale: number}} Camera */
/** @typedef {{width: number, height: number}} Size */
/** @typedef {{left: number, top: number}} Place in pixels of the frame */
/** @typedef {{x: number, y: number, width: number, height: number}} Rectangle */

const MIN_SCALE = 0.02;
const MAX_SCALE = 4;
const MARGIN = 24;
/** The scale at which the beginning of a long graph is shown, and the one below which boxes are a few pixels. */
const LEGIBLE = 0.45;
const ILLEGIBLE = 0.1;

/** @param {number} scale */
const clampScale = (scale) => Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale));

/**
 * A camera that fits a rectangle, enlarged by at most a quarter.
 * @param {Rectangle} rectangle @param {Size} frame @returns {Camera}
 */
export function fitRectangle({ x, y, width, height }, frame) {
  const scale = Math.min(
    (frame.width - 2 * MARGIN) / Math.max(1, width),
    (frame.height - 2 * MARGIN) / Math.max(1, height),
    1.25,
  );
  return { x: x + width / 2, y: y + height / 2, scale: clampScale(scale) };
}

/**
 * A camera that fits a graph, or the beginning of a long one: whole, it would be a line of a few pixels.
 * @param {Size} graph @param {Size} frame @returns {Camera}
 */
export function fitGraph({ width, height }, frame) {
  const whole = fitRectangle({ x: 0, y: 0, width, height }, frame);
  const sides = [(frame.width - 2 * MARGIN) / Math.max(1, width), (frame.height - 2 * MARGIN) / Math.max(1, height)];
  const scale = Math.min(LEGIBLE, Math.max(...sides));
  if (whole.scale >= ILLEGIBLE || scale < 2 * whole.scale) return whole;
  const start = (/** @type {number} */ side, /** @type {number} */ room) =>
    Math.min(side / 2, (room / 2 - MARGIN) / scale);
  return { x: start(width, frame.width), y: start(height, frame.height), scale };
}

/** @param {Camera} camera @param {Size} frame @param {Place} at @returns {{x: number, y: number}} */
export const pointAt = (camera, frame, { left, top }) => ({
  x: camera.x + (left - frame.width / 2) / camera.scale,
  y: camera.y + (top - frame.height / 2) / camera.scale,
});

/**
 * Zooms about a place of the frame.
 * @param {Camera} camera @param {number} factor @param {Size} frame @param {Place} [at] @returns {Camera}
 */
export function zoomAt(camera, factor, frame, at = { left: frame.width / 2, top: frame.height / 2 }) {
  const scale = clampScale(camera.scale * factor);
  const point = pointAt(camera, frame, at);
  return { scale, x: point.x - (at.left - frame.width / 2) / scale, y: point.y - (at.top - frame.height / 2) / scale };
}

/** The visible rectangle of the graph. @param {Camera} camera @param {Size} frame @returns {Rectangle} */
export const visibleArea = ({ x, y, scale }, { width, height }) => ({
  x: x - width / scale / 2,
  y: y - height / scale / 2,
  width: width / scale,
  height: height / scale,
});

/** Keeps the centre of the frame inside the graph. @param {Camera} camera @param {Size} graph @returns {Camera} */
export const clampCamera = ({ x, y, scale }, { width, height }) => ({
  scale,
  x: Math.max(0, Math.min(width, x)),
  y: Math.max(0, Math.min(height, y)),
});
