import assert from "node:assert/strict";
import { test } from "node:test";
import { distributionsOf } from "../../../charts/histogram/buckets.js";
import { trimmedExtent } from "./outliers.js";

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
