import assert from "node:assert/strict";
import { test } from "node:test";
import {
  coordinateAt,
  crop,
  decimate,
  heightAt,
  heightOf,
  heightRange,
  isEven,
  lossOf,
  numbersOf,
  refine,
  resampleEvenly,
} from "./grid.js";

const count = (most = 12) => 2 + Math.floor(Math.random() * most);

/** A random axis, ascending or descending. @param {number} length */
function randomAxis(length) {
  const axis = Float64Array.from({ length }, () => Math.random() * 10 - 5).sort();
  return Math.random() < 0.5 ? axis : axis.toReversed();
}

function randomGrid(missing = 0) {
  const [x, y] = [randomAxis(count()), randomAxis(count())];
  const heights = Float64Array.from({ length: x.length * y.length }, () =>
    Math.random() < missing ? NaN : Math.random(),
  );
  return { x, y, heights };
}

test("a JSON column may name its non-finite numbers", () => {
  assert.deepEqual([...numbersOf([1, "NaN", "Infinity", "-Infinity"])], [1, NaN, Infinity, -Infinity]);
});

test("a loss has a height if it is finite and, on a log scale, positive", () => {
  assert.deepEqual(
    [1, 0, -1, NaN, Infinity].map((loss) => heightOf(loss, "linear")),
    [1, 0, -1, NaN, NaN],
  );
  assert.deepEqual(
    [100, 0, -1, NaN, Infinity].map((loss) => heightOf(loss, "log")),
    [2, NaN, NaN, NaN, NaN],
  );
  assert.equal(lossOf(heightOf(1000, "log"), "log"), 1000);
});

test("the height range ignores missing points and is null without others", () => {
  const [x, y] = [new Float64Array(2), new Float64Array(1)];
  const gridOf = (/** @type {number[]} */ heights) => ({ x, y, heights: Float64Array.from(heights) });
  assert.deepEqual(heightRange([gridOf([NaN, 2]), gridOf([-1, 1])]), [-1, 2]);
  assert.equal(heightRange([gridOf([NaN, NaN])]), null);
});

test("a decimated grid has at most the given size and contains points of the grid, its ends among them", () => {
  for (let round = 0; round < 200; round++) {
    const grid = randomGrid();
    const most = count(8);
    const { x, y, heights } = decimate(grid, most);
    assert.equal(x.length, Math.min(most, grid.x.length));
    assert.deepEqual([x[0], x.at(-1), y[0], y.at(-1)], [grid.x[0], grid.x.at(-1), grid.y[0], grid.y.at(-1)]);
    y.forEach((top, row) => {
      x.forEach((left, column) => {
        const at = grid.y.indexOf(top) * grid.x.length + grid.x.indexOf(left);
        assert.equal(heights[row * x.length + column], grid.heights[at]);
      });
    });
  }
});

test("a cropped grid covers the given range with a margin, and equals the grid there", () => {
  for (let round = 0; round < 200; round++) {
    const grid = randomGrid();
    const [from, to] = [Math.random() * 8 - 4, Math.random() * 8 - 4].sort((a, b) => a - b);
    const { x, y, heights } = crop(grid, [from, to], [-5, 5], 1);
    for (const coordinate of grid.x) assert.ok(coordinate < from || coordinate > to || x.includes(coordinate));
    assert.deepEqual(y, grid.y);
    const first = grid.x.indexOf(x[0]);
    assert.deepEqual(heights.slice(0, x.length), grid.heights.slice(first, first + x.length));
  }
});

test("a refined grid passes through all points and does not overshoot their neighbours", () => {
  for (let round = 0; round < 100; round++) {
    const grid = randomGrid();
    const factor = count(4);
    const { x, y, heights } = refine(grid, factor);
    for (let row = 0; row < y.length; row++) {
      for (let column = 0; column < x.length; column++) {
        const [left, top] = [Math.floor(column / factor), Math.floor(row / factor)];
        const corners = [top, Math.ceil(row / factor)].flatMap((r) =>
          [left, Math.ceil(column / factor)].map((c) => grid.heights[r * grid.x.length + c]),
        );
        const height = heights[row * x.length + column];
        assert.ok(height >= Math.min(...corners) - 1e-12 && height <= Math.max(...corners) + 1e-12);
      }
    }
  }
});

test("next to a missing point a refined grid is missing only in the cells of that point", () => {
  const grid = { x: Float64Array.of(0, 1, 2, 3), y: Float64Array.of(0), heights: Float64Array.of(0, NaN, 2, 3) };
  const { heights } = refine(grid, 2);
  assert.deepEqual([...heights].map(Number.isNaN), [false, true, true, true, false, false, false]);
});

test("a height between points is interpolated bilinearly", () => {
  for (let round = 0; round < 500; round++) {
    const grid = randomGrid();
    const [a, b, c, d] = [0, 0, 0, 0].map(() => Math.random());
    const bilinear = (/** @type {number} */ x, /** @type {number} */ y) => a + b * x + c * y + d * x * y;
    grid.y.forEach((y, row) => {
      grid.x.forEach((x, column) => {
        grid.heights[row * grid.x.length + column] = bilinear(x, y);
      });
    });
    const [x, y] = [grid.x, grid.y].map((axis) => coordinateAt(axis, Math.random() * (axis.length - 1)));
    assert.ok(Math.abs(heightAt(grid, x, y) - bilinear(x, y)) < 1e-9);
    assert.ok(Number.isNaN(heightAt(grid, 6, 0)) && Number.isNaN(heightAt(grid, 0, -6)));
  }
});

test("a grid is resampled to even spacing between the same ends", () => {
  const grid = { ...randomGrid(), x: Float64Array.of(0, 1, 4), y: Float64Array.of(0, 1) };
  grid.heights = Float64Array.of(0, 1, 4, 0, 1, 4);
  const even = resampleEvenly(grid);
  assert.ok(isEven(even.x) && !isEven(grid.x));
  assert.deepEqual([...even.x], [0, 2, 4]);
  assert.deepEqual([...even.heights.map((height) => Number(height.toFixed(12)))], [0, 2, 4, 0, 2, 4]);
  assert.equal(resampleEvenly(even), even);
});
