import assert from "node:assert/strict";
import { test } from "node:test";
import { clippedOf, countSpikes } from "./clipped.js";
import { robustRange, yExtent } from "./extent.js";

/** @param {number[]} ys @param {boolean} log @returns {import("../data/view/address.js").Window} */
const extentOf = (ys, log = false) =>
  yExtent([{ xs: ys.map((_, step) => step), columns: [ys] }], [0, ys.length], { log, isRobust: false });

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

/** @param {ArrayLike<number>} ys @param {ArrayLike<number> | null} behind */
const robustOf = (ys, behind = null) =>
  yExtent([{ xs: Float64Array.from(ys, (_, x) => x), columns: [ys], behind }], [0, ys.length], {
    log: false,
    isRobust: true,
  });

test("a robust range leaves out values only if they squeeze the others", () => {
  const ramp = Float64Array.from({ length: 1000 }, (_, at) => at);
  assert.deepEqual(robustRange([...ramp]), [0, 999]);
  assert.deepEqual(robustRange([...ramp, 1500]), [0, 1500]);
  const [lo, hi] = robustRange([...ramp, 1e6]);
  assert.ok(lo === 0 && hi > 999 && hi < 1300);
  assert.deepEqual(robustRange([1, 1, 1, 1, 50]), [1, 50]);
  assert.deepEqual(robustRange([]), [Infinity, -Infinity]);
});

test("the line uses at least 60 % of the height, whatever is behind it", () => {
  for (const noise of [0, 0.1, 1, 100, 1e6]) {
    const ys = Float64Array.from({ length: 500 }, (_, at) => Math.sin(at / 40));
    const behind = ys.map((y, at) => y + noise * Math.sin(at * 7));
    const [lo, hi] = robustOf(ys, behind);
    assert.ok(lo < -1 && hi > 1 && 2 / (hi - lo) >= 0.6, `${noise}: ${lo} to ${hi}`);
  }
});

test("the range of a growing series changes rarely, and its ends are round", () => {
  const ys = Float64Array.from({ length: 3000 }, (_, at) => 1 / (1 + at / 300) + 0.01 * Math.sin(at * 3));
  let changes = 0;
  for (let length = 1001; length < 3000; length++)
    if (String(robustOf(ys.subarray(0, length))) !== String(robustOf(ys.subarray(0, length - 1)))) changes++;
  assert.ok(changes < 20, `${changes} changes`);
});

/** @param {number[]} ys @param {number[] | null} raw */
const lineOf = (ys, raw = null) =>
  /** @type {any} */ ({
    run: "run",
    xs: Float64Array.from(ys, (_, x) => x),
    ys: Float64Array.from(ys),
    raw: raw && Float64Array.from(raw),
  });

test("spikes are runs of points beyond the y range within the window, by edge", () => {
  const line = lineOf([9, 0, 9, 9, 0, -5, NaN, Infinity, 9]);
  const [{ above, below }] = clippedOf([line], [1, 7], { left: [-1, 1], right: null }, false);
  assert.deepEqual([above, below], [[2], [5]]);
  assert.deepEqual(clippedOf([line], [1, 1], { left: [-1, 1], right: null }, false), []);
  const [onLog] = clippedOf([lineOf([1, 0, -5, 0.01, 1])], [0, 4], { left: [0.1, 10], right: null }, true);
  assert.deepEqual([onLog.above, onLog.below], [[], [3]]);
});

test("the noise behind a smoothed line has no spikes, but for those that stand out of it", () => {
  const raw = Array.from({ length: 1000 }, (_, at) => 3 * Math.sin(at * 5));
  const noise = lineOf(
    raw.map(() => 0),
    raw,
  );
  assert.deepEqual(countSpikes(clippedOf([noise], [0, 1000], { left: [-1, 1], right: null }, false)), {
    above: 0,
    below: 0,
  });
  raw[500] = 40;
  const spiky = lineOf(
    raw.map(() => 0),
    raw,
  );
  assert.deepEqual(countSpikes(clippedOf([spiky], [0, 1000], { left: [-1, 1], right: null }, false)), {
    above: 1,
    below: 0,
  });
});
