import assert from "node:assert/strict";
import { test } from "node:test";
import { heightAt, lowerBound, nearest } from "./binary_search.js";
import { xExtent, yExtent } from "./extent.js";
import { hitsAt, nearestHit } from "./hit_test.js";
import { projection } from "./plot.js";

const ascending = () => Float64Array.from({ length: Math.random() * 12 }, () => Math.floor(Math.random() * 20)).sort();

test("the binary searches find what a linear search finds", () => {
  for (let round = 0; round < 2000; round++) {
    const xs = ascending();
    const target = Math.random() * 22 - 1;
    const first = xs.findIndex((x) => x >= target);
    assert.equal(lowerBound(xs, target), first < 0 ? xs.length : first);
    const distances = [...xs].map((x) => Math.abs(x - target));
    const found = nearest(xs, target);
    if (xs.length) assert.equal(distances[found], Math.min(...distances));
    else assert.equal(found, -1);
  }
});

test("a height is interpolated between points, and never NaN next to a finite one", () => {
  const [xs, ys] = [Float64Array.of(0, 10, 20), Float64Array.of(1, 3, NaN)];
  assert.equal(heightAt(xs, ys, 5), 2);
  assert.equal(heightAt(xs, ys, -5), 1);
  assert.equal(heightAt(xs, ys, 12), 3);
  assert.ok(Number.isNaN(heightAt([], [], 1)));
});

test("x extents cover all columns, and a single x has a width", () => {
  assert.deepEqual(xExtent([[1, 5], [], [3, 9]]), [1, 9]);
  assert.deepEqual(xExtent([[4]]), [3.5, 4.5]);
  assert.equal(xExtent([[]]), null);
});

test("y extents cover the finite points of the window, with a margin", () => {
  for (let round = 0; round < 500; round++) {
    const xs = ascending();
    const ys = Float64Array.from(xs, () => (Math.random() < 0.1 ? NaN : Math.random() * 10 - 3));
    const log = Math.random() < 0.5;
    const inside = [...ys].filter(
      (y, index) => xs[index] >= 4 && xs[index] <= 12 && (log ? y > 0 : Number.isFinite(y)),
    );
    const [lo, hi] = yExtent([{ xs, columns: [ys] }], [4, 12], { log, isRobust: false });
    assert.ok(lo < hi && inside.every((y) => lo < y && y < hi));
    if (log) assert.ok(lo > 0);
  }
});

test("a robust y extent covers the 5th to the 95th percentile and the thresholds", () => {
  const ys = Float64Array.from({ length: 1001 }, (_, index) => (index < 5 ? 1e6 : index / 1000));
  const xs = ys.map((_, index) => index);
  const [lo, hi] = yExtent([{ xs, columns: [ys] }], [0, 1000], { log: false, isRobust: true });
  assert.ok(lo < 0.03 && hi > 0.97 && hi < 2);
  assert.ok(yExtent([{ xs, columns: [ys] }], [0, 1000], { log: false, isRobust: true, also: [50] })[1] >= 50);
});

test("each line has a hit while the cursor is near it, and the nearest line is found", () => {
  const line = (/** @type {string} */ run, /** @type {number[]} */ xs, /** @type {number[]} */ ys) =>
    /** @type {any} */ ({ run, xs, ys });
  const lines = [line("a", [0, 10], [1, 1]), line("b", [0, 10], [5, 5]), line("far", [200, 300], [5, 5])];
  const on = projection([0, 100], [0, 10], false, 100, 100, 1);
  const hits = hitsAt(lines, 9, 1);
  assert.deepEqual(
    hits.map(({ line: { run }, index }) => [run, index]),
    [
      ["a", 1],
      ["b", 1],
    ],
  );
  assert.equal(nearestHit(hits, 9, on.top(5.5), { left: on, right: on })?.line.run, "b");
  assert.equal(nearestHit(hits, 9, on.top(1.2), { left: on, right: on })?.line.run, "a");
});

test("a logarithmic projection has no position for values that are not positive", () => {
  const on = projection([1, 100], [0.1, 10], true, 200, 100, 2, true);
  assert.equal(on.left(10), 100);
  assert.equal(on.top(1), 50);
  assert.ok(Number.isNaN(on.top(0)) && Number.isNaN(on.left(-1)));
});
