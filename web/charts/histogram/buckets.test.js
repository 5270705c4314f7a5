import assert from "node:assert/strict";
import { test } from "node:test";
import {
  distributionsOf,
  lastOfEachStep,
  meanOf,
  nearestRow,
  percentile,
  percentiles,
  rowAtStep,
  SHARES,
  shareBelow,
  unbucketed,
  valueExtent,
} from "./buckets.js";

/** @typedef {import("./buckets.js").Distribution} Distribution */

/** Parses a reply with one histogram. @param {object} entry @returns {Distribution} */
const parsed = (entry) =>
  distributionsOf({
    histograms: [{ step: 1, wall_time: "2", count: 0, min: null, max: null, sum: null, buckets: [], ...entry }],
  })[0];

function randomDistribution() {
  const edges = Array.from({ length: 2 + Math.floor(Math.random() * 20) }, () => Math.random() * 20 - 10);
  edges.sort((a, b) => a - b);
  const buckets = edges.slice(1).map((right, at) => [edges[at], right - edges[at], 1 + Math.floor(Math.random() * 50)]);
  return parsed({ buckets, min: edges[0], max: edges.at(-1) });
}

/** @param {number[]} steps */
const rowsOf = (steps) => steps.map((step) => parsed({ step }));

test("a reply is parsed once; empty buckets are dropped, outer ones end at the extremes", () => {
  const reply = {
    histograms: [
      {
        step: 3,
        wall_time: "12.5",
        count: 10,
        min: 1,
        max: "3",
        sum: "NaN",
        nan_count: 2,
        buckets: [
          [-5, 5, 0],
          [0, 2, 3],
          [2, 4, 4],
        ],
      },
    ],
  };
  const [row] = distributionsOf(reply);
  assert.equal(distributionsOf(reply)[0], row);
  assert.deepEqual([...row.left, ...row.right, ...row.counts], [1, 2, 2, 3, 3, 4]);
  assert.deepEqual([row.wallTime, row.sum, row.max, row.total], [12.5, NaN, 3, 7]);
  assert.equal(unbucketed(row), 1);
});

test("the share below a percentile is its share", () => {
  for (let round = 0; round < 300; round++) {
    const row = randomDistribution();
    const share = Math.random();
    assert.ok(Math.abs(shareBelow(row, percentile(row, share)) - share) < 1e-9);
  }
});

test("percentiles ascend from the minimum to the maximum", () => {
  for (let round = 0; round < 100; round++) {
    const row = randomDistribution();
    const values = percentiles(row);
    assert.equal(values.length, SHARES.length);
    assert.deepEqual([values[0], values.at(-1)], [row.min, row.max]);
    assert.deepEqual(
      values,
      values.toSorted((a, b) => a - b),
    );
  }
});

test("a bucket over all doubles has finite percentiles", () => {
  const row = parsed({ buckets: [[-1.7e308, 1.7e308, 4]] });
  row.left[0] = -1.7e308;
  assert.ok(Number.isFinite(percentile(row, 0.5)));
});

test("empty distributions have no percentiles, mean or extent", () => {
  const row = parsed({});
  assert.deepEqual([percentile(row, 0.5), shareBelow(row, 0), meanOf(row), valueExtent([row])], [NaN, NaN, null, null]);
});

test("the extent of several distributions covers all buckets", () => {
  const rows = Array.from({ length: 5 }, randomDistribution);
  const lows = rows.map(({ left }) => Math.min(...left));
  const highs = rows.map(({ right }) => Math.max(...right));
  assert.deepEqual(valueExtent(rows), [Math.min(...lows), Math.max(...highs)]);
});

test("the row at a step is that of the last step up to it, in any order of rows", () => {
  assert.equal(rowAtStep([], 3), -1);
  for (let round = 0; round < 300; round++) {
    const steps = Array.from({ length: 1 + (round % 8) }, () => Math.floor(Math.random() * 20));
    const step = Math.floor(Math.random() * 20);
    const earlier = steps.filter((candidate) => candidate <= step);
    const at = rowAtStep(rowsOf(steps), step);
    if (earlier.length) assert.equal(steps[at], Math.max(...earlier));
    else assert.equal(at, 0);
  }
});

test("of a repeated step the last record is kept", () => {
  const rows = rowsOf([1, 2, 2, 2, 5]);
  assert.deepEqual(lastOfEachStep(rows), [rows[0], rows[3], rows[4]]);
});

test("the nearest row is the one at the smallest distance", () => {
  for (let round = 0; round < 300; round++) {
    const at = Float64Array.from({ length: 1 + (round % 9) }, () => Math.random() * 10).sort();
    const x = Math.random() * 14 - 2;
    const distances = Array.from(at, (position) => Math.abs(position - x));
    assert.equal(distances[nearestRow(at, x)], Math.min(...distances));
  }
});
