// The camera: the picture's point at the centre of the frame, and the zoom relative to fitting.

/** x, y: the point at the centre, as shares of width and height. zoom: 1 = the picture fits.
 * @typedef {{zoom: number, x: number, y: number}} Camera */
/** @typedef {{width: number, height: number}} Size */

/** @type {Camera} */
export const FITTING = { zoom: 1, x: 0.5, y: 0.5 };
const LEAST_ZOOM = 0.1;
/** Maximum screen pixels per picture pixel. */
const LARGEST_PIXEL = 96;

/** Screen pixels per picture pixel if the picture just fits.
 * @param {Size} frame @param {Size} picture */
export const fitScale = (frame, picture) => Math.min(frame.width / picture.width, frame.height / picture.height);

/** The position of the picture's top-left corner in the frame, and its scale.
 * @param {Camera} camera @param {Size} frame @param {Size} picture */
export function placement(camera, frame, picture) {
  const scale = fitScale(frame, picture) * camera.zoom;
  return {
    scale,
    left: frame.width / 2 - camera.x * picture.width * scale,
    top: frame.height / 2 - camera.y * picture.height * scale,
  };
}

/** The pixel at a point of the frame; null outside the picture.
 * @param {Camera} camera @param {Size} frame @param {Size} picture @param {{left: number, top: number}} at */
export function pixelAt(camera, frame, picture, at) {
  const { scale, left, top } = placement(camera, frame, picture);
  const x = Math.floor((at.left - left) / scale);
  const y = Math.floor((at.top - top) / scale);
  return x >= 0 && y >= 0 && x < picture.width && y < picture.height ? { x, y } : null;
}

/** Zooms about a point of the frame.
 * @param {Camera} camera @param {number} factor @param {Size} frame @param {Size} picture
 * @param {{left: number, top: number}} at @returns {Camera} */
export function zoomed(camera, factor, frame, picture, at) {
  const fit = fitScale(frame, picture);
  const zoom = Math.max(LEAST_ZOOM, Math.min(Math.max(1, LARGEST_PIXEL / fit), camera.zoom * factor));
  const shift = 1 / (fit * camera.zoom) - 1 / (fit * zoom);
  return clamped({
    zoom,
    x: camera.x + ((at.left - frame.width / 2) * shift) / picture.width,
    y: camera.y + ((at.top - frame.height / 2) * shift) / picture.height,
  });
}

/** Pans by screen pixels.
 * @param {Camera} camera @param {number} right @param {number} down @param {Size} frame @param {Size} picture
 * @returns {Camera} */
export function moved(camera, right, down, frame, picture) {
  const scale = fitScale(frame, picture) * camera.zoom;
  return clamped({
    zoom: camera.zoom,
    x: camera.x - right / scale / picture.width,
    y: camera.y - down / scale / picture.height,
  });
}

/** Keeps the centre within the picture.
 * @param {Camera} camera @returns {Camera} */
const clamped = ({ zoom, x, y }) => ({ zoom, x: Math.max(0, Math.min(1, x)), y: Math.max(0, Math.min(1, y)) });

/** The URL parameter; "" for a fitting picture.
 * @param {Camera} camera */
export const printCamera = ({ zoom, x, y }) =>
  zoom === 1 ? "" : [zoom, x, y].map((number) => Number(number.toPrecision(5))).join(",");

/** @param {string} text @returns {Camera} */
export function parseCamera(text) {
  const [zoom, x, y] = text.split(",").map(Number);
  return text && zoom > 0 && Number.isFinite(zoom) && x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { zoom, x, y } : FITTING;
}
