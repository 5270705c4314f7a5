// The per-channel difference of two pictures of equal size.

/** mean: over all pixels and colour channels; differing: share of pixels that differ.
 * @typedef {{mean: number, largest: number, differing: number}} Statistics */

/** Returns absolute differences of red, green and blue; where only opacity differs, its difference in all three.
 * @template {Uint8ClampedArray<ArrayBuffer> | Uint16Array<ArrayBuffer>} Values of 8 or 16 bits a channel
 * @param {Values} first @param {Values} second as long as `first`, four values a pixel
 * @returns {{pixels: Values, statistics: Statistics}} */
export function differenceOf(first, second) {
  const pixels = /** @type {Values} */ (first.slice());
  const opaque = 256 ** first.BYTES_PER_ELEMENT - 1;
  let sum = 0;
  let largest = 0;
  let differing = 0;
  for (let place = 0; place < first.length; place += 4) {
    let red = Math.abs(first[place] - second[place]);
    let green = Math.abs(first[place + 1] - second[place + 1]);
    let blue = Math.abs(first[place + 2] - second[place + 2]);
    if (red + green + blue === 0) red = green = blue = Math.abs(first[place + 3] - second[place + 3]);
    const most = Math.max(red, green, blue);
    if (most > 0) differing++;
    if (most > largest) largest = most;
    sum += red + green + blue;
    pixels[place] = red;
    pixels[place + 1] = green;
    pixels[place + 2] = blue;
    pixels[place + 3] = opaque;
  }
  const count = first.length / 4;
  return {
    pixels,
    statistics: { mean: count ? sum / (3 * count) : 0, largest, differing: count ? differing / count : 0 },
  };
}
