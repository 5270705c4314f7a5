import assert from "node:assert/strict";
import { test } from "node:test";
import { yExtent } from "./extent.js";

/** @param {number[]} ys @param {boolean} log @returns {import("../data/address.js").Window} */
const extentOf = (ys, log = false) =>
  yExtent([{ xs: ys.map((_, step) => step), columns: [ys] }], [0, ys.length], { log, trimmed: false });

test("values that differ by rounding have the range of one value", () => {
  const third = 1 / 3;
  const rounded = [third, third + Number.EPSILON / 4, third + Number.EPSILON / 2];
  for (const log of [false, true]) {
    const [lo, hi] = extentOf(rounded, log);
    assert.ok(lo < 0.31 && hi > 0.36, `${lo} to ${hi}`);
  }
  assert.deepEqual(extentOf([0, 0]), [-1, 1]);
});

test("values that differ a little have a range of their own", () => {
  const [lo, hi] = extentOf([1, 1 + 1e-9]);
  assert.ok(lo < 1 && hi > 1 + 1e-9 && hi - lo < 2e-9);
});
