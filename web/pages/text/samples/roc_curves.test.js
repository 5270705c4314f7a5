import assert from "node:assert/strict";
import { test } from "node:test";
import { curvesOf, isRoc, pathOf } from "./roc_curves.js";

/** @param {Array<[string, number | string, number | string]>} cells */
const rows = (cells) => cells.map((each, row) => ({ row, key: String(row), cells: each, is_cut: false }));

test("the columns say whether a table is one of ROC curves", () => {
  assert.equal(isRoc(["class", "fpr", "tpr"]), true);
  assert.equal(isRoc(["class", "precision", "recall"]), false);
});

test("each class has a curve with the area under it", () => {
  const [cat, dog] = curvesOf(
    rows([
      ["cat", 0, 0],
      ["cat", 0, 0.5],
      ["cat", 0.5, 0.5],
      ["dog", 0, 0],
      ["cat", 0.5, 1],
      ["cat", 1, 1],
      ["dog", 1, 1],
    ]),
  );
  assert.deepEqual([cat.name, cat.area, dog.name, dog.area], ["cat", 0.75, "dog", 0.5]);
  assert.equal(pathOf(cat.points), "M0 100L0 50L50 50L50 0L100 0");
});

test("a class that has all samples has no area and no path", () => {
  const [only] = curvesOf(
    rows([
      ["a", "NaN", 0],
      ["a", "NaN", 1],
    ]),
  );
  assert.deepEqual([only.area, pathOf(only.points)], [Number.NaN, ""]);
});
