import assert from "node:assert/strict";
import { test } from "node:test";
import { pinchedWindow } from "./touches.js";

test("what was under two fingers stays under them", () => {
  assert.deepEqual(pinchedWindow([0, 100], false, [0.25, 0.75], [0, 1]), [25, 75]);
  assert.deepEqual(pinchedWindow([0, 100], false, [0.25, 0.75], [0.5, 1]), [-25, 75]);
});

test("a logarithmic axis is zoomed by factors", () => {
  const [lo, hi] = pinchedWindow([1, 10_000], true, [0.25, 0.75], [0, 1]) ?? [NaN, NaN];
  assert.ok(Math.abs(lo - 10) < 1e-9 && Math.abs(hi - 1000) < 1e-6);
});

test("fingers that are near each other, or that cross, do not zoom", () => {
  assert.equal(pinchedWindow([0, 1], false, [0.5, 0.51], [0.2, 0.8]), null);
  assert.equal(pinchedWindow([0, 1], false, [0.2, 0.8], [0.8, 0.2]), null);
});
