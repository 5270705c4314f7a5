import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsBetween, groupSpans, isFirst } from "./columns.js";

test("neighbouring columns of the same group are counted together", () => {
  const columns = ["", "loss", "loss", "", "loss"].map((group) => ({ group }));
  assert.deepEqual(groupSpans(columns), [
    { group: "", count: 1 },
    { group: "loss", count: 2 },
    { group: "", count: 1 },
    { group: "loss", count: 1 },
  ]);
  assert.deepEqual(
    columns.map((_, at) => isFirst(columns, at)),
    [false, true, false, true, true],
  );
});

test("only columns that overlap the visible pixels exist", () => {
  const widths = [100, 50, 200, 100];
  assert.deepEqual(columnsBetween(widths, 0, 90), [0, 1]);
  assert.deepEqual(columnsBetween(widths, 120, 300), [1, 3]);
  assert.deepEqual(columnsBetween(widths, 500, 600), [0, 0]);
  assert.deepEqual(columnsBetween([], 0, 100), [0, 0]);
});
