import assert from "node:assert/strict";
import { test } from "node:test";
import { dragged, factorOf, leastAlong, partOf, rounded, scaled } from "./box_zoom.js";

test("a flat drag is along x, a steep one along y, others along both", () => {
  const along = (/** @type {number} */ right, /** @type {number} */ down) =>
    [right, down].map((distance) => distance >= leastAlong(right, down));
  assert.deepEqual(along(100, 20), [true, false]);
  assert.deepEqual(along(15, 90), [false, true]);
  assert.deepEqual(along(100, 60), [true, true]);
  assert.deepEqual(along(10, 7), [true, false]);
});

test("parts are shares of the length, or of its logarithm", () => {
  assert.deepEqual(partOf([10, 20], false, 0.2, 0.5), [12, 15]);
  const [lo, hi] = partOf([1, 100], true, 0.5, 1);
  assert.ok(Math.abs(lo - 10) < 1e-9 && Math.abs(hi - 100) < 1e-9);
});

test("a drag moves the content with the pointer, and back to where it was", () => {
  assert.deepEqual(dragged([0, 10], false, 0.2), [-2, 8]);
  const [lo, hi] = dragged(dragged([1, 100], true, 0.3), true, -0.3);
  assert.ok(Math.abs(lo - 1) < 1e-9 && Math.abs(hi - 100) < 1e-9);
});

test("the wheel zooms around the pointer", () => {
  assert.deepEqual(scaled([0, 100], false, 0.25, 0.5), [12.5, 62.5]);
  assert.ok(factorOf({ deltaY: -100, deltaMode: 0 }) < 1);
  assert.equal(factorOf({ deltaY: -3, deltaMode: 1 }), factorOf({ deltaY: -48, deltaMode: 0 }));
  assert.ok(factorOf({ deltaY: 1e6, deltaMode: 0 }) < 2.1);
});

test("rounded ends differ, whatever the size of the window is", () => {
  assert.deepEqual(rounded([1.23456789, 2.3456789]), [1.235, 2.346]);
  for (const size of [1e-12, 1e-3, 1, 12345, 1e18]) {
    const [lo, hi] = rounded([size / 3, size]);
    assert.ok(lo < hi && Math.abs(lo - size / 3) <= size / 500);
  }
});
