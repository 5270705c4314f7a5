// Pictures with 16 bits a channel: their values, and the window of values that is drawn from black to white.

/** `values` are those of one pixel after the other, of 1 (grey), 2 (grey, opacity), 3 or 4 channels each.
 * @typedef {{width: number, height: number, channels: number, values: Uint16Array}} Deep */
/** The values that are black and white. @typedef {readonly [black: number, white: number]} ValueWindow */

export const MOST = 65_535;
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The place of the bit depth in a PNG file. */
const DEPTH = 24;

/** Is a file a PNG with 16 bits a channel? Browsers decode only the upper eight. @param {Uint8Array} bytes */
export const isDeep = (bytes) => bytes[DEPTH] === 16 && PNG.every((byte, place) => bytes[place] === byte);

/** Is the last channel opacity? @param {number} channels */
const hasOpacity = (channels) => channels % 2 === 0;

/** The window from the least to the greatest value of the colours. @param {Deep} deep @returns {ValueWindow} */
export function wholeWindow({ values, channels }) {
  let [least, most] = [MOST, 0];
  for (let place = 0; place < values.length; place++) {
    if (hasOpacity(channels) && place % channels === channels - 1) continue;
    least = Math.min(least, values[place]);
    most = Math.max(most, values[place]);
  }
  return least > most ? [0, MOST] : [least, most];
}

/** The pixels that are drawn: red, green, blue and opacity, eight bits each.
 * @param {Deep} deep @param {ValueWindow} window @returns {Uint8ClampedArray<ArrayBuffer>} */
export function windowed({ width, height, channels, values }, [black, white]) {
  const pixels = new Uint8ClampedArray(4 * width * height);
  const colours = channels - Number(hasOpacity(channels));
  const scale = 255 / Math.max(1, white - black);
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let colour = 0; colour < 3; colour++) {
      const value = values[pixel * channels + Math.min(colour, colours - 1)];
      pixels[4 * pixel + colour] = (value - black) * scale;
    }
    pixels[4 * pixel + 3] = hasOpacity(channels) ? values[pixel * channels + channels - 1] / 257 : 255;
  }
  return pixels;
}

/** Red, green, blue and opacity of each pixel, in 16 bits. @param {Deep} deep */
export function coloursOf({ width, height, channels, values }) {
  const colours = new Uint16Array(4 * width * height).fill(MOST);
  const last = channels - Number(hasOpacity(channels)) - 1;
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let colour = 0; colour < 3; colour++)
      colours[4 * pixel + colour] = values[pixel * channels + Math.min(colour, last)];
    if (hasOpacity(channels)) colours[4 * pixel + 3] = values[pixel * channels + channels - 1];
  }
  return colours;
}

/** Values of 8 bits in 16. @param {Uint8ClampedArray} values */
export const widened = (values) => Uint16Array.from(values, (value) => 257 * value);

/** The recorded values of a pixel. @param {Deep} deep @param {number} x @param {number} y */
export const valuesAt = ({ width, channels, values }, x, y) => [
  ...values.subarray((y * width + x) * channels, (y * width + x + 1) * channels),
];

/** Parses a window, such as "0,4095"; null = the whole one. @param {string} text @returns {ValueWindow | null} */
export function parseWindow(text) {
  const [black, white] = text.split(",").map(Number);
  return text && black >= 0 && white > black && white <= MOST ? [black, white] : null;
}
