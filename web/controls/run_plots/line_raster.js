// Draws thin anti-aliased lines pixel by pixel. Without a GPU, thousands of them take a tenth of the time of canvas
// strokes, and the time is spent here rather than in a later flush.

/** @typedef {import("../../charts/rgb.js").Rgb} Rgb */

/** Opaque pixels, four bytes each. @typedef {{bytes: Uint8ClampedArray, width: number, height: number}} Pixels */

/** Draws a line from the left edge to the right edge over the existing pixels.
 * @param {Pixels} pixels @param {number} from height at the left edge @param {number} to height at the right one
 * @param {Rgb} colour @param {number} alpha 0 to 256 */
export function drawLine({ bytes, width, height }, from, to, [red, green, blue], alpha) {
  const rise = to - from;
  if (Math.abs(rise) <= width) {
    const step = rise / width;
    let y = from + step / 2 - 0.5;
    for (let x = 0; x < width; x++, y += step) {
      const above = Math.floor(y);
      const below = (alpha * (y - above)) | 0;
      if (above >= 0 && above < height) blend(bytes, (above * width + x) << 2, red, green, blue, alpha - below);
      if (above >= -1 && above < height - 1) blend(bytes, ((above + 1) * width + x) << 2, red, green, blue, below);
    }
    return;
  }
  const [top, bottom] = from < to ? [from, to] : [to, from];
  const step = width / rise;
  const lastRow = Math.min(height, Math.ceil(bottom - 0.5));
  let y = Math.max(0, Math.ceil(top - 0.5));
  let x = (y + 0.5 - from) * step - 0.5;
  for (; y < lastRow; y++, x += step) {
    const left = Math.floor(x);
    const right = (alpha * (x - left)) | 0;
    if (left >= 0 && left < width) blend(bytes, (y * width + left) << 2, red, green, blue, alpha - right);
    if (left >= -1 && left < width - 1) blend(bytes, (y * width + left + 1) << 2, red, green, blue, right);
  }
}

/**
 * @param {Uint8ClampedArray} bytes @param {number} at @param {number} red @param {number} green @param {number} blue
 * @param {number} alpha
 */
function blend(bytes, at, red, green, blue, alpha) {
  bytes[at] += ((red - bytes[at]) * alpha) >> 8;
  bytes[at + 1] += ((green - bytes[at + 1]) * alpha) >> 8;
  bytes[at + 2] += ((blue - bytes[at + 2]) * alpha) >> 8;
}
