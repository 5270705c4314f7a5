// Draws a waveform and a spectrogram on a canvas.

import { viridis } from "../../../charts/rgb.js";
import { tokens } from "../../../charts/theme.js";

/** @typedef {import("./sound_worker.js").SoundResult} SoundResult */
/** @typedef {{left: number, top: number, width: number, height: number}} Box */

const SHADES = Uint8Array.from({ length: 256 * 4 }, (_, at) => (at % 4 === 3 ? 255 : viridis((at >> 2) / 255)[at % 4]));

/** @param {CanvasRenderingContext2D} context @param {SoundResult["waveform"]} waveform @param {Box} box @param {string} colour */
export function drawWaveform(context, { low, high }, { left, top, width, height }, colour) {
  const middle = top + height / 2;
  const loudest = low.reduce((most, value, at) => Math.max(most, -value, high[at]), 1e-6);
  const scale = height / 2 / Math.max(1, loudest);
  context.fillStyle = tokens().grid;
  context.fillRect(left, middle, width, 1);
  context.fillStyle = colour;
  const step = width / low.length;
  for (let column = 0; column < low.length; column++) {
    const above = middle - high[column] * scale;
    context.fillRect(left + column * step, above, Math.max(step, 1), Math.max(1, (high[column] - low[column]) * scale));
  }
}

/** @param {CanvasRenderingContext2D} context @param {SoundResult["spectrogram"]} spectrogram @param {Box} box */
export function drawSpectrogram(context, { columns, rows, levels }, { left, top, width, height }) {
  const picture = new ImageData(columns, rows);
  for (let column = 0; column < columns; column++)
    for (let row = 0; row < rows; row++) {
      const shade = 4 * levels[column * rows + row];
      picture.data.set(SHADES.subarray(shade, shade + 4), 4 * ((rows - 1 - row) * columns + column));
    }
  const whole = new OffscreenCanvas(columns, rows);
  whole.getContext("2d")?.putImageData(picture, 0, 0);
  context.drawImage(whole, left, top, width, height);
}
