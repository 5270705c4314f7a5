import assert from "node:assert/strict";
import { test } from "node:test";
import { endingOf, isPlayable, lengthText, momentsOf, rateText, secondsOf } from "./clips.js";

/** @param {number} step @param {number} index @param {string} url */
const entry = (step, index, url) => ({
  ...{ step, index, url, wall_time: step, label: "", media_type: "audio/wav" },
  ...{ sample_rate: 8000, channels: 1, frames: 800, bytes: 1644 },
});

test("clips of one value are one moment, and a step recorded again replaces the first record", () => {
  const moments = momentsOf([entry(1, 0, "a"), entry(1, 1, "b"), entry(2, 0, "c"), entry(2, 0, "d"), entry(2, 1, "e")]);

  assert.deepEqual(
    moments.map(({ step, clips }) => [step, clips.map(({ url }) => url)]),
    [
      [1, ["a", "b"]],
      [2, ["d", "e"]],
    ],
  );
});

test("what is known of a clip is written as people read it", () => {
  const { step: _, wall_time: __, ...clip } = entry(1, 0, "a");

  assert.equal(secondsOf(clip), 0.1);
  assert.equal(secondsOf({ ...clip, frames: null }), null);
  assert.deepEqual([8, 999, 8000, 22050, 44100].map(rateText), ["8 Hz", "999 Hz", "8 kHz", "22.05 kHz", "44.1 kHz"]);
  assert.deepEqual([0.1, 3.25, 59, 60, 65.4, 3600].map(lengthText), [
    "0.1 s",
    "3.25 s",
    "59 s",
    "1:00",
    "1:05",
    "60:00",
  ]);
  assert.deepEqual([isPlayable(clip), endingOf(clip)], [true, "wav"]);
  assert.deepEqual(
    [isPlayable({ ...clip, media_type: "text/html" }), endingOf({ ...clip, media_type: "x" })],
    [false, "bin"],
  );
});
