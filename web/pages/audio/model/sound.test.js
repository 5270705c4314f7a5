import assert from "node:assert/strict";
import { test } from "node:test";
import { transform } from "./fft.js";
import { mixed, spectrogramOf, waveformOf, windowSize } from "./sound.js";

test("the transform equals the sum that defines it", () => {
  const values = Array.from({ length: 16 }, (_, at) => Math.sin(at * 1.7) + at / 9);
  const [real, imaginary] = [Float64Array.from(values), new Float64Array(16)];
  transform(real, imaginary);
  for (let row = 0; row < 16; row++) {
    const angle = (/** @type {number} */ at) => (-2 * Math.PI * row * at) / 16;
    const re = values.reduce((sum, value, at) => sum + value * Math.cos(angle(at)), 0);
    const im = values.reduce((sum, value, at) => sum + value * Math.sin(angle(at)), 0);
    assert.ok(Math.abs(real[row] - re) < 1e-9 && Math.abs(imaginary[row] - im) < 1e-9);
  }
});

const tone = (/** @type {number} */ hertz, rate = 8000) =>
  Float32Array.from({ length: rate }, (_, at) => Math.sin((2 * Math.PI * hertz * at) / rate));

test("the loudest row of a tone is its frequency", () => {
  const { columns, rows, top, levels } = spectrogramOf(tone(1000), 8000, 50);
  assert.equal(top, 4000);
  for (const column of [0, columns >> 1, columns - 1]) {
    const part = [...levels.subarray(column * rows, (column + 1) * rows)];
    assert.equal(part.indexOf(Math.max(...part)), (1000 * rows) / top);
  }
  assert.equal(Math.max(...levels), 255);
});

test("silence and a clip shorter than a window have a spectrogram", () => {
  assert.deepEqual(new Set(spectrogramOf(new Float32Array(1000), 8000, 9).levels), new Set([0]));
  assert.equal(spectrogramOf(tone(1000).subarray(0, 10), 8000, 9).columns, 1);
});

test("a window has about 32 ms, within bounds", () => {
  assert.deepEqual([100, 8000, 44_100, 384_000].map(windowSize), [64, 256, 1024, 4096]);
});

test("a column of the waveform has the extremes of its samples", () => {
  assert.deepEqual(waveformOf(Float32Array.of(0, 0.5, -1, 0.25), 2), {
    low: Float32Array.of(0, -1),
    high: Float32Array.of(0.5, 0.25),
  });
  assert.deepEqual([...waveformOf(Float32Array.of(0.5), 3).high], [0.5, 0.5, 0.5]);
});

test("channels are mixed to their mean", () => {
  assert.deepEqual(mixed([Float32Array.of(1, 0), Float32Array.of(0, 0.5)]), Float32Array.of(0.5, 0.25));
});
