import assert from "node:assert/strict";
import { test } from "node:test";
import { between, LEAST, moved, stepOfKey, unitScale } from "./brush.js";

test("a brush moves as a whole and stops at the ends; its edges do not cross", () => {
  assert.deepEqual(moved([0.25, 0.5], "both", 0.25), [0.5, 0.75]);
  assert.deepEqual(moved([0.25, 0.5], "both", 2), [0.75, 1]);
  assert.deepEqual(moved([0.25, 0.5], "both", -2), [0, 0.25]);
  assert.deepEqual(moved([0.25, 0.5], "lo", 1), [0.5 - LEAST, 0.5]);
  assert.deepEqual(moved([0.25, 0.5], "hi", -1), [0.25, 0.25 + LEAST]);
  assert.deepEqual(moved([0.25, 0.5], "hi", 3), [0.25, 1]);
  assert.deepEqual(between(0.7, 0.2), [0.2, 0.7]);
  assert.deepEqual(between(0.7, 1.2), [0.7, 1]);
});

test("keys move by one or ten percent, or to an end", () => {
  assert.deepEqual(
    ["ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "a"].map((key) => stepOfKey(key, false)),
    [-0.01, 0.01, -1, 1, 0.1, null],
  );
  assert.equal(stepOfKey("ArrowUp", true), 0.1);
});

test("positions map to x and back, also on a logarithmic axis", () => {
  for (const [whole, log] of /** @type {Array<[[number, number], boolean]>} */ ([
    [[-5, 95], false],
    [[1, 1000], true],
  ])) {
    const { toUnit, fromUnit } = unitScale(whole, log);
    assert.deepEqual([toUnit(whole[0]), toUnit(whole[1])], [0, 1]);
    for (const unit of [0, 0.1, 0.5, 1]) assert.ok(Math.abs(toUnit(fromUnit(unit)) - unit) < 1e-12);
  }
  assert.equal(unitScale([1, 100], true).fromUnit(0.5), 10.000000000000002);
});
