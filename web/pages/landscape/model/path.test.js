import assert from "node:assert/strict";
import { test } from "node:test";
import { lastCheckpointAt, pointAt, stepsOf, timesOf } from "./path.js";

/** @param {number[]} times ascending @param {number[]} x @returns {import("./path.js").Path} */
const pathOf = (times, x) => ({
  x: Float64Array.from(x),
  y: Float64Array.from(x, (value) => -value),
  z: Float64Array.from(x, (value) => 2 * value),
  intervals: times,
  steps: Float64Array.from(times),
});

test("intervals are converted to steps if they ascend and the unit is known", () => {
  assert.deepEqual(stepsOf([4, 8], "step", null), Float64Array.of(4, 8));
  assert.deepEqual(stepsOf([1, 2], "epoch", 23), Float64Array.of(23, 46));
  for (const [intervals, unit, stepsPerEpoch] of /** @type {Array<[number[], string | null, number | null]>} */ ([
    [[], "step", null],
    [[2, 1], "step", null],
    [[1, 1], "step", null],
    [[1, 2], "epoch", null],
    [[1, 2], null, 23],
  ]))
    assert.equal(stepsOf(intervals, unit, stepsPerEpoch), null);
});

test("checkpoints without steps are numbered from one", () => {
  assert.deepEqual(timesOf({ ...pathOf([5, 9, 20], [1, 2, 3]), steps: null }), Float64Array.of(1, 2, 3));
});

test("the position at a time is interpolated between checkpoints and clamped at the ends", () => {
  for (let round = 0; round < 300; round++) {
    const times = Array.from({ length: 1 + (round % 6) }, (_, at) => at * 10 + Math.floor(Math.random() * 9));
    const path = pathOf(
      times,
      times.map(() => Math.random()),
    );
    const time = Math.random() * 80 - 10;
    const before = times.filter((candidate) => candidate <= time).length - 1;
    assert.equal(lastCheckpointAt(times, time), before);
    const { x, y, z, checkpoint, isBetween } = pointAt(path, time);
    assert.equal(checkpoint, Math.max(0, before));
    const [from, to] = [checkpoint, Math.min(checkpoint + 1, times.length - 1)];
    const share = Math.max(0, Math.min(1, (time - times[from]) / (times[to] - times[from] || 1)));
    const expected = before < 0 || from === to ? path.x[from] : path.x[from] + (path.x[to] - path.x[from]) * share;
    assert.ok(Math.abs(x - expected) < 1e-12 && Math.abs(y + expected) < 1e-12 && Math.abs(z - 2 * expected) < 1e-12);
    assert.equal(isBetween, before >= 0 && from < to && time > times[from]);
  }
});
