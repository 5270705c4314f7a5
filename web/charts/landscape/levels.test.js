import assert from "node:assert/strict";
import { test } from "node:test";
import { contourLevels } from "./levels.js";

test("levels are round, evenly spaced, strictly inside the range and about as many as requested", () => {
  for (let round = 0; round < 1000; round++) {
    const span = Math.random() * 10 ** ((round % 13) - 6);
    const lo = (Math.random() - 0.5) * 100 * span;
    const hi = lo + span;
    const target = 5 + (round % 60);
    const levels = contourLevels([lo, hi], target, "linear");
    const size = levels[1] - levels[0];
    const mantissa = Number((size / 10 ** Math.floor(Math.log10(size * 1.000001))).toPrecision(3));
    assert.ok([1, 2, 2.5, 5, 10].includes(mantissa), String(mantissa));
    assert.ok(levels.every((level) => level > lo && level < hi));
    assert.ok(levels.every((level, at) => !at || Math.abs(level - levels[at - 1] - size) < size * 1e-6));
    assert.ok(levels.length > target / 2 && levels.length < target * 2);
  }
});

test("on a logarithmic scale levels divide each decade equally", () => {
  for (let round = 0; round < 200; round++) {
    const lo = Math.random() * 4 - 2;
    const levels = contourLevels([lo, lo + 1 + Math.random() * 3], 15, "log");
    const perDecade = 1 / (levels[1] - levels[0]);
    assert.ok(Math.abs(perDecade - Math.round(perDecade)) < 1e-6);
  }
});

test("an empty range has no levels", () => assert.deepEqual(contourLevels([3, 3], 10, "linear"), []));
