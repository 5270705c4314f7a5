import assert from "node:assert/strict";
import { test } from "node:test";
import { cellOf, columnLabel, indexAt, layoutOf, rowLabel, tilesOf } from "./layout.js";
import { countOf, parseSlice } from "./slice.js";

/** @param {string} slice @param {number[]} dims */
const layout = (slice, dims) => layoutOf(parseSlice(slice, dims).parts);

/** The indices that some parts select, in order. @param {import("./slice.js").Part[]} parts */
function selected(parts) {
  /** @type {number[][]} */
  let all = [[]];
  for (const { first, step, count } of parts)
    all = all.flatMap((index) => Array.from({ length: count }, (_, i) => [...index, first + i * step]));
  return all;
}

test("the last free dimension is horizontal, and the others are vertical", () => {
  const table = layout("[1,:,::2]", [3, 4, 6]);
  assert.deepEqual([table.rows, table.columns], [4, 3]);
  assert.deepEqual(indexAt(table, 2, 1), [1, 2, 2]);
  assert.deepEqual([rowLabel(table, 2), columnLabel(table, 2)], ["2", "4"]);
  assert.equal(rowLabel(layout("[:,:,:]", [3, 4, 6]), 5), "1, 1");
});

test("a single free dimension is wrapped into rows of ten", () => {
  const table = layout("[3,:]", [4, 23]);
  assert.deepEqual([table.rows, table.columns], [3, 10]);
  assert.deepEqual(indexAt(table, 2, 2), [3, 22]);
  assert.equal(indexAt(table, 2, 3), null);
  assert.deepEqual([rowLabel(table, 1), columnLabel(table, 4)], ["10", "+4"]);
  assert.equal(columnLabel(layout("[::-1]", [23]), 4), "−4");
});

test("a scalar is one cell without labels", () => {
  const table = layout("", []);
  assert.deepEqual([table.rows, table.columns, indexAt(table, 0, 0)], [1, 1, []]);
  assert.deepEqual([rowLabel(table, 0), columnLabel(table, 0)], ["", ""]);
});

test("the n-th element of a slice is in the n-th cell", () => {
  for (const [slice, dims] of /** @type {Array<[string, number[]]>} */ ([
    ["[:,1,::-2]", [3, 2, 7]],
    ["[:]", [25]],
    ["[:,:,:]", [2, 3, 4]],
  ])) {
    const table = layout(slice, dims);
    selected(table.parts).forEach((index, n) => {
      assert.deepEqual(indexAt(table, ...cellOf(table, n)), index);
    });
  }
});

test("tiles cover the requested cells, and load the elements of their cells", () => {
  const shapes = /** @type {Array<[string, number[]]>} */ ([
    ["[:,:]", [700, 300]],
    ["[:,:,:]", [5, 300, 200]],
    ["[:,:,:,:]", [40, 3, 50, 20]],
    ["[::-1,2,::3]", [900, 4, 500]],
    ["[:]", [70_001]],
    ["[:,:]", [20, 30]],
  ]);
  let seed = 13;
  const random = (/** @type {number} */ below) =>
    Math.floor(((seed = (seed * 16807) % 2147483647) / 2147483647) * below);
  for (const [slice, dims] of shapes) {
    const table = layout(slice, dims);
    for (let round = 0; round < 10; round++) {
      const [top, left] = [random(table.rows), random(table.columns)];
      const cells = {
        top,
        left,
        bottom: Math.min(table.rows, top + 1 + random(300)),
        right: Math.min(table.columns, left + 1 + random(200)),
      };
      const tiles = tilesOf(table, cells);
      assert.equal(new Set(tiles.map(({ key }) => key)).size, tiles.length);
      for (const [row, column] of [
        [cells.top, cells.left],
        [cells.bottom - 1, cells.right - 1],
        [cells.top, cells.right - 1],
        [(cells.top + cells.bottom) >> 1, (cells.left + cells.right) >> 1],
      ]) {
        const index = indexAt(table, row, column);
        const around = tiles.filter(
          (tile) => row >= tile.top && row < tile.bottom && column >= tile.left && column < tile.right,
        );
        assert.equal(around.length, 1);
        const [tile] = around;
        const at = (row - tile.top) * (tile.right - tile.left) + column - tile.left;
        if (index) assert.deepEqual(selected(tile.parts)[at], index);
      }
      for (const tile of tiles) assert.ok(countOf(tile.parts) <= 65_536);
    }
  }
});
