import assert from "node:assert/strict";
import { test } from "node:test";
import { binOf, countScale, edgeOf, gridOver, rebin } from "./rebin.js";

/** @param {number[][]} buckets left, right and count of each @returns {import("./buckets.js").Distribution} */
const distribution = (buckets) => ({
  step: 0,
  wallTime: 0,
  count: 0,
  min: null,
  max: null,
  sum: null,
  nan: 0,
  posInf: 0,
  negInf: 0,
  left: Float64Array.from(buckets, ([left]) => left),
  right: Float64Array.from(buckets, ([, right]) => right),
  counts: Float64Array.from(buckets, ([, , count]) => count),
  total: buckets.reduce((sum, [, , count]) => sum + count, 0),
});

/** @param {Iterable<number>} numbers */
const sum = (numbers) => [...numbers].reduce((total, number) => total + number, 0);

/** Random buckets, every fifth time without width. @param {number} trial @param {number} scale @param {number} most */
function randomBuckets(trial, scale, most) {
  const edges = Array.from({ length: 2 + (trial % 40) }, () => (Math.random() - 0.5) * scale).sort((a, b) => a - b);
  return edges
    .slice(1)
    .map((right, at) => [edges[at], trial % 5 ? right : edges[at], Math.floor(Math.random() * most)]);
}

test("rebinned whole counts keep their total exactly, in any order of summation", () => {
  for (let trial = 0; trial < 400; trial++) {
    const buckets = randomBuckets(trial, 10 ** ((trial % 12) - 4), 10 ** (trial % 15));
    const row = distribution(buckets);
    const last = buckets[buckets.length - 1];
    const bins = rebin(row, gridOver([buckets[0][0], last[1]], 30 + (trial % 131)));
    assert.equal(sum(bins), row.total);
    assert.equal(sum(bins.toReversed()), row.total);
  }
});

test("each bin gets the part of each bucket that overlaps it, also on a grid that cuts buckets off", () => {
  for (let trial = 0; trial < 200; trial++) {
    const buckets = randomBuckets(5 * trial + 1, 10, 100);
    const [from, to] = [Math.random() * 4 - 5, Math.random() * 4 + 1];
    const grid = gridOver([from, to], 1 + (trial % 50));
    const bins = rebin(distribution(buckets), grid);
    bins.forEach((count, bin) => {
      const [lo, hi] = [edgeOf(grid, bin), edgeOf(grid, bin + 1)];
      const expected = sum(
        buckets.map(([left, right, n]) => (n * Math.max(0, Math.min(hi, right) - Math.max(lo, left))) / (right - left)),
      );
      assert.ok(Math.abs(count - expected) < 1e-6, `${count} is not ${expected}`);
    });
  }
});

test("a bucket without width is in one bin; a value on the right end is in the last bin", () => {
  const buckets = [
    [0, 0, 1],
    [2, 2, 5],
    [4, 4, 7],
  ];
  assert.deepEqual([...rebin(distribution(buckets), gridOver([0, 4], 4))], [1, 0, 5, 7]);
});

test("buckets and grids may span all doubles", () => {
  const extent = /** @type {const} */ ([-1.7e308, 1.7e308]);
  assert.deepEqual([...rebin(distribution([[...extent, 80]]), gridOver(extent, 8))], Array(8).fill(10));
});

test("a single value is in the middle bin of its grid", () => {
  const grid = gridOver([3, 3], 30);
  assert.equal(binOf(grid, 3), grid.bins >> 1);
  assert.ok(edgeOf(grid, 0) < 3 && edgeOf(grid, grid.bins) > 3);
});

test("the count scale is clipped only if a few peaks are far above the others", () => {
  const grid = gridOver([0, 1], 1);
  const rows = (/** @type {number[]} */ peaks) => peaks.map((peak) => distribution([[0, 1, peak]]));
  assert.deepEqual(countScale(rows([10, 12, 20]), grid), { scaleTop: 20, largest: 20 });
  assert.deepEqual(countScale(rows([...Array(20).fill(10), 1000]), grid), { scaleTop: 15, largest: 1000 });
  assert.deepEqual(countScale([], grid), { scaleTop: 0, largest: 0 });
});
