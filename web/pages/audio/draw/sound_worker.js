// A worker that computes waveforms and spectrograms off the main thread.

import { mixed, spectrogramOf, waveformOf } from "../model/sound.js";

/** @typedef {{id: number, channels: Float32Array<ArrayBuffer>[], rate: number, columns: number}} SoundRequest */
/** @typedef {{id: number, waveform: import("../model/sound.js").Waveform,
 * spectrogram: import("../model/sound.js").Spectrogram}} SoundResult */

addEventListener("message", (/** @type {MessageEvent<SoundRequest>} */ { data }) => {
  const samples = mixed(data.channels);
  const spectrogram = spectrogramOf(samples, data.rate, data.columns);
  postMessage({ id: data.id, waveform: waveformOf(samples, data.columns), spectrogram });
});
