import assert from "node:assert/strict";
import { test } from "node:test";
import { levelOf } from "./plane.js";

test("the level of a node is the first at which the grid, halved again and again, contains it", () => {
  for (const finest of [0, 1, 2, 3, 4]) {
    const count = 2 ** finest + 1;
    for (let row = 0; row < count; row++) {
      for (let column = 0; column < count; column++) {
        let expected = 0;
        while (row % 2 ** (finest - expected) || column % 2 ** (finest - expected)) expected++;
        assert.equal(levelOf(column, row, count, count), expected);
      }
    }
  }
});

test("the nodes of a line have the levels of its columns", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((column) => levelOf(column, 0, 5, 1)),
    [0, 2, 1, 2, 0],
  );
});
