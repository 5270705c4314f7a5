import assert from "node:assert/strict";
import { test } from "node:test";
import { insideOf } from "./lasso.js";

test("places are inside a line that is bent inwards, or outside", () => {
  const isInside = insideOf([
    [0, 0],
    [10, 0],
    [10, 10],
    [5, 2],
    [0, 10],
  ]);

  assert.deepEqual([isInside(1, 5), isInside(9, 5), isInside(5, 1)], [true, true, true]);
  assert.deepEqual([isInside(5, 5), isInside(-1, 5), isInside(5, 11)], [false, false, false]);
});
