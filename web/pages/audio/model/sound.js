// What is drawn of a sound: its waveform, and its spectrogram.

import { transform } from "./fft.js";

/** The smallest and the largest sample of each column. @typedef {{low: Float32Array, high: Float32Array}} Waveform */
/** `levels`: 0 to 255 for -80 to 0 dB below the loudest, by column, the lowest frequency first; `top`: Hz of the highest.
 * @typedef {{columns: number, rows: number, top: number, levels: Uint8Array<ArrayBuffer>}} Spectrogram */

/** Seconds that a window of the spectrogram contains, about. */
const WINDOW = 0.032;
const [SMALLEST_WINDOW, LARGEST_WINDOW] = [64, 4096];
/** Windows overlap by at least this share, if there are columns for it. */
const OVERLAP = 0.75;
/** Decibels from the loudest to what is drawn as silence. */
const RANGE = 80;

/** The mean of the channels. @param {readonly Float32Array[]} channels @returns {Float32Array} */
export function mixed(channels) {
  if (channels.length === 1) return channels[0];
  return channels[0].map((_, at) => channels.reduce((sum, channel) => sum + channel[at], 0) / channels.length);
}

/** @param {Float32Array} samples @param {number} columns @returns {Waveform} */
export function waveformOf(samples, columns) {
  const [low, high] = [new Float32Array(columns), new Float32Array(columns)];
  for (let column = 0; column < columns; column++) {
    const begin = Math.floor((column * samples.length) / columns);
    const end = Math.max(begin + 1, Math.floor(((column + 1) * samples.length) / columns));
    let [least, most] = [Infinity, -Infinity];
    for (let at = begin; at < Math.min(end, samples.length); at++) {
      least = Math.min(least, samples[at]);
      most = Math.max(most, samples[at]);
    }
    low[column] = Number.isFinite(least) ? least : 0;
    high[column] = Number.isFinite(most) ? most : 0;
  }
  return { low, high };
}

/** @param {number} rate samples a second */
export const windowSize = (rate) =>
  Math.min(LARGEST_WINDOW, Math.max(SMALLEST_WINDOW, 2 ** Math.round(Math.log2(rate * WINDOW))));

/** @param {Float32Array} samples @param {number} rate samples a second @param {number} most columns
 * @returns {Spectrogram} */
export function spectrogramOf(samples, rate, most) {
  const size = windowSize(rate);
  const rows = size / 2;
  const room = Math.max(0, samples.length - size);
  const columns = Math.max(1, Math.min(most, Math.floor(room / (size * (1 - OVERLAP))) + 1));
  const hann = Float64Array.from({ length: size }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / size));
  const powers = new Float64Array(columns * rows);
  const [real, imaginary] = [new Float64Array(size), new Float64Array(size)];
  let loudest = 0;
  for (let column = 0; column < columns; column++) {
    const begin = columns > 1 ? Math.round((column * room) / (columns - 1)) : 0;
    for (let at = 0; at < size; at++) real[at] = (samples[begin + at] ?? 0) * hann[at];
    imaginary.fill(0);
    transform(real, imaginary);
    for (let row = 0; row < rows; row++) {
      const power = real[row] ** 2 + imaginary[row] ** 2;
      powers[column * rows + row] = power;
      loudest = Math.max(loudest, power);
    }
  }
  const levels = Uint8Array.from(powers, (power) => levelOf(power / loudest));
  return { columns, rows, top: rate / 2, levels };
}

/** @param {number} share of the loudest power; NaN = all is silent */
const levelOf = (share) => (share > 0 ? Math.max(0, Math.round(255 * (1 + (10 * Math.log10(share)) / RANGE))) : 0);
