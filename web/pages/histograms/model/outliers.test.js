import assert from "node:assert/strict";
import { test } from "node:test";
import { distributionsOf } from "../../../charts/histogram/buckets.js";
import { sharedExtent, trimmedExtent } from "./outliers.js";

/** @param {number[][]} buckets left, width and count of each */
const parsed = (buckets) =>
  distributionsOf({ histograms: [{ step: 0, wall_time: 0, count: 0, min: null, max: null, sum: null, buckets }] })[0];

test("a thousandth of all values of all histograms is below the extent, and as much above", () => {
  for (let round = 0; round < 100; round++) {
    const histograms = Array.from({ length: 1 + (round % 7) }, () =>
      Array.from({ length: 30 }, (_, at) => [at + Math.random() * 0.1, 0.9, 1 + Math.floor(Math.random() * 100)]),
    );
    const total = histograms.flat().reduce((sum, [, , count]) => sum + count, 0);
    const [low, high] = trimmedExtent(histograms.map(parsed)) ?? [NaN, NaN];
    const below = (/** @type {number} */ value) =>
      histograms
        .flat()
        .reduce((sum, [left, width, count]) => sum + count * Math.max(0, Math.min(1, (value - left) / width)), 0);
    assert.ok(Math.abs(below(low) / total - 0.001) < 1e-6);
    assert.ok(Math.abs(1 - below(high) / total - 0.001) < 1e-6);
  }
});

test("equal values are inside the extent", () => {
  const [low, high] = trimmedExtent([parsed([[0, 0, 1000]]), parsed([[-3, 6, 10]])]) ?? [NaN, NaN];
  assert.ok(low <= 0 && high >= 0);
});

test("histograms without values have no extent", () => assert.equal(trimmedExtent([parsed([])]), null));

/** A histogram of 100 values between two ends. @param {number} low @param {number} high */
const between = (low, high) => parsed([[low, high - low, 100]]);

test("a few runs that reach far beyond the others do not stretch the shared extent", () => {
  const ordinary = Array.from({ length: 5 }, (_, at) => [between(-1, 1 + at / 10)]);
  const [low, high] = sharedExtent([...ordinary, [between(-300, 300)]]) ?? [NaN, NaN];
  assert.ok(low > -1.01 && low < -0.99);
  assert.ok(high > 1.35 && high < 1.41);
});

test("a few steps at which a run diverged do not stretch its extent, a growing width does", () => {
  const ordinary = Array.from({ length: 46 }, () => between(-1, 1));
  const diverged = [between(-1e30, 1e30), between(-1e6, 1e6), between(-1e6, 1e6), between(-1e6, 1e6)];
  const [low, high] = sharedExtent([[...ordinary, ...diverged]]) ?? [NaN, NaN];
  assert.ok(low > -1.01 && low < -0.99 && high > 0.99 && high < 1.01);
  const growing = Array.from({ length: 50 }, (_, at) => between(-1 - at, 1 + at));
  assert.ok((sharedExtent([growing]) ?? [NaN, NaN])[1] > 45);
});

test("the shared extent covers all runs if there is no majority of similar ones", () => {
  const [low, high] = sharedExtent([[between(-1, 1)], [between(-300, 300)]]) ?? [NaN, NaN];
  assert.ok(low < -299 && high > 299);
  assert.deepEqual(
    sharedExtent([[parsed([[2, 0, 5]])], [between(0, 10)], [parsed([[3, 0, 5]])]])?.map(Math.round),
    [0, 10],
  );
  assert.equal(sharedExtent([[parsed([])]]), null);
});
