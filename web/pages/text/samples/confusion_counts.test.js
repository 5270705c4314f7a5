import assert from "node:assert/strict";
import { test } from "node:test";
import { countsOf, isConfusion } from "./confusion_counts.js";

/** @param {Array<[string, string, number]>} cells */
const rows = (cells) => cells.map((each, row) => ({ row, key: String(row), cells: each, is_cut: false }));

test("the columns say whether a table is a confusion matrix", () => {
  assert.equal(isConfusion(["actual", "predicted", "count"]), true);
  assert.equal(isConfusion(["predicted", "actual", "count"]), false);
});

test("classes are in the order of the actual ones, and sums are counted", () => {
  const found = countsOf(
    rows([
      ["cat", "cat", 5],
      ["cat", "dog", 1],
      ["dog", "dog", 0],
      ["dog", "bird", 3],
    ]),
  );
  assert.deepEqual(found, {
    names: ["cat", "dog", "bird"],
    counts: [
      [5, 1, 0],
      [0, 0, 3],
      [0, 0, 0],
    ],
    actual: [6, 3, 0],
    predicted: [5, 1, 3],
    total: 9,
    correct: 5,
  });
});
