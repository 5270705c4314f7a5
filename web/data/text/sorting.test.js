import assert from "node:assert/strict";
import { test } from "node:test";
import { sortedBy, sortingNames, sortingOf, sortRows } from "./sorting.js";

test("rows are sorted naturally and stably, missing values last in either direction", () => {
  const rows = ["lr10", null, "lr9", NaN, 3, "LR9", 20];
  const sorted = (/** @type {boolean} */ down) => sortRows(rows, [{ value: (row) => row, down }]);
  assert.deepEqual(sorted(false), [3, 20, "LR9", "lr9", "lr10", null, NaN]);
  assert.deepEqual(sorted(true).slice(-2), [null, NaN]);
});

test("later columns break ties of earlier ones", () => {
  const rows = Array.from({ length: 200 }, (_, id) => ({ a: id % 3, b: Math.random(), id }));
  const sorted = sortRows(rows, [
    { value: ({ a }) => a, down: true },
    { value: ({ b }) => b, down: false },
  ]);
  for (let index = 1; index < sorted.length; index++) {
    const [before, row] = [sorted[index - 1], sorted[index]];
    assert.ok(before.a > row.a || (before.a === row.a && before.b <= row.b));
  }
});

test("clicks on a column sort ascending, descending, not at all", () => {
  let sorting = sortingOf(["-name"]);
  assert.deepEqual(sortingNames(sorting), ["-name"]);
  sorting = sortedBy(sorting, "loss", false, false);
  assert.deepEqual(sortingNames(sorting), ["loss"]);
  sorting = sortedBy(sorting, "name", true, true);
  assert.deepEqual(sortingNames(sorting), ["loss", "-name"]);
  sorting = sortedBy(sorting, "loss", true, false);
  assert.deepEqual(sortingNames(sorting), ["-loss", "-name"]);
  assert.deepEqual(sortingNames(sortedBy(sorting, "loss", true, false)), ["-name"]);
});
