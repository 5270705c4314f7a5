import assert from "node:assert/strict";
import { test } from "node:test";
import { cellAt, scrollBarOf, scrollOffsetFor, visibleCells, xOf, yOf } from "./viewport.js";

const FRAME = {
  rows: 100,
  columns: 30,
  cellWidth: 50,
  cellHeight: 20,
  headWidth: 40,
  headHeight: 24,
  width: 440,
  height: 224,
  left: 75,
  top: 30,
};

test("visible cells are those that intersect the view", () => {
  const cells = visibleCells(FRAME);
  assert.deepEqual(cells, { top: 1, bottom: 12, left: 1, right: 10 });
  assert.deepEqual(visibleCells({ ...FRAME, rows: 5, top: 0 }).bottom, 5);
});

test("a cell is found at every point inside it, and none on the labels", () => {
  for (const [row, column] of [
    [2, 2],
    [5, 9],
    [11, 4],
  ])
    assert.deepEqual(cellAt(FRAME, xOf(FRAME, column) + 1, yOf(FRAME, row) + 1), { row, column });
  assert.equal(cellAt(FRAME, 39, 100), null);
  assert.equal(cellAt({ ...FRAME, rows: 3 }, 100, 200), null);
});

test("the last cell is reachable through a scroll bar of limited length", () => {
  for (const cells of [10, 1000, 3_000_000]) {
    const { length, ratio } = scrollBarOf(cells, 22, 24, 500);
    assert.ok(length <= 8_000_000);
    const end = Math.max(0, length - 500) * ratio;
    assert.ok(Math.abs(end - Math.max(0, cells * 22 + 24 - 500)) < 1e-3);
  }
});

test("scrolling to a cell moves as little as necessary", () => {
  assert.equal(scrollOffsetFor(5, 20, 0, 200), 0);
  assert.equal(scrollOffsetFor(30, 20, 0, 200), 420);
  assert.equal(scrollOffsetFor(3, 20, 100, 200), 60);
});
