import assert from "node:assert/strict";
import { test } from "node:test";
import { contourRings, levelLines } from "./contours.js";

/** @typedef {{heights: Float64Array, columns: number, rows: number, at: (column: number, row: number) => number}}
 * Grid */

/** A random grid, a share of it missing. @param {number} missing @returns {Grid} */
function randomGrid(missing) {
  const [columns, rows] = [2 + Math.floor(Math.random() * 9), 2 + Math.floor(Math.random() * 9)];
  const heights = Float64Array.from({ length: columns * rows }, () => (Math.random() < missing ? NaN : Math.random()));
  const at = (/** @type {number} */ column, /** @type {number} */ row) =>
    column >= 0 && row >= 0 && column < columns && row < rows ? heights[row * columns + column] : NaN;
  return { heights, columns, rows, at };
}

/** @param {Grid} grid @param {number} level */
const ringsAt = ({ heights, columns, rows }, level) => contourRings(heights, columns, rows, [level])[0];

/** Tests a point by the even-odd rule.
 * @param {import("./contours.js").Ring[]} rings @param {number} x @param {number} y */
function isInside(rings, x, y) {
  let crossings = 0;
  for (const { columns, rows } of rings) {
    for (let at = 0; at < columns.length; at++) {
      const next = (at + 1) % columns.length;
      const [x0, y0, x1, y1] = [columns[at], rows[at], columns[next], rows[next]];
      if (y0 > y !== y1 > y && x < x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)) crossings++;
    }
  }
  return crossings % 2 === 1;
}

test("rings enclose the points at or above the level and no others", () => {
  for (let round = 0; round < 400; round++) {
    const grid = randomGrid(round % 3 ? 0.15 : 0);
    const level = Math.random();
    const rings = ringsAt(grid, level);
    for (let row = 0; row < grid.rows; row++) {
      for (let column = 0; column < grid.columns; column++) {
        const neighbours = [grid.at(column - 1, row), grid.at(column + 1, row)];
        neighbours.push(grid.at(column, row - 1), grid.at(column, row + 1));
        // Next to missing points the ring passes through the point itself.
        if (neighbours.some(Number.isNaN)) continue;
        assert.equal(isInside(rings, column, row), grid.at(column, row) >= level);
      }
    }
  }
});

test("lines cross each edge of the grid exactly once if the level is between its heights", () => {
  for (let round = 0; round < 400; round++) {
    const grid = randomGrid(round % 3 ? 0.15 : 0);
    const level = Math.random();
    /** @type {Map<string, number>} */
    const expected = new Map();
    const addEdge = (/** @type {number[]} */ from, /** @type {number[]} */ to) => {
      const [low, high] = [grid.at(from[0], from[1]), grid.at(to[0], to[1])];
      if (!(low >= level !== high >= level) || Number.isNaN(low + high)) return;
      const share = (level - low) / (high - low);
      const [x, y] = [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
      expected.set(`${x.toFixed(9)} ${y.toFixed(9)}`, 1);
    };
    for (let row = 0; row < grid.rows; row++) {
      for (let column = 0; column < grid.columns; column++) {
        addEdge([column, row], [column + 1, row]);
        addEdge([column, row], [column, row + 1]);
      }
    }
    const crossed = ringsAt(grid, level).flatMap(({ columns, rows }) =>
      columns.flatMap((x, at) =>
        Number.isInteger(x) && Number.isInteger(rows[at]) ? [] : [`${x.toFixed(9)} ${rows[at].toFixed(9)}`],
      ),
    );
    assert.deepEqual(crossed.toSorted(), [...expected.keys()].sort());
  }
});

test("segments follow the level in complete cells, and the edge of the known points elsewhere", () => {
  for (let round = 0; round < 400; round++) {
    const grid = randomGrid(round % 3 ? 0.15 : 0);
    const level = Math.random();
    let expected = 0;
    for (let row = 0; row + 1 < grid.rows; row++) {
      for (let column = 0; column + 1 < grid.columns; column++) {
        const corners = [grid.at(column, row), grid.at(column + 1, row)];
        corners.push(grid.at(column + 1, row + 1), grid.at(column, row + 1));
        if (corners.some(Number.isNaN)) continue;
        const inside = corners.map((height) => height >= level);
        expected += inside.filter((isIn, at) => isIn && !inside[(at + 1) % 4]).length;
      }
    }
    const rings = ringsAt(grid, level);
    assert.equal(rings.flatMap(({ isEdge }) => isEdge).filter((is) => !is).length, expected);
    const segments = rings.flatMap((ring) => levelLines(ring).map((line) => line.length - 1));
    assert.equal(
      segments.reduce((sum, count) => sum + count, 0),
      expected,
    );
  }
});

test("the level -Infinity encloses all known points, and a grid without any has no rings", () => {
  const heights = [1, 2, NaN, 4];
  assert.deepEqual(contourRings(heights, 2, 2, [-Infinity])[0].length, 1);
  assert.deepEqual(contourRings([NaN, NaN, NaN, NaN], 2, 2, [-Infinity, 0]), [[], []]);
});

test("several levels give the rings of each level alone", () => {
  const grid = randomGrid(0.1);
  const levels = [0.2, 0.5, 0.8];
  assert.deepEqual(
    contourRings(grid.heights, grid.columns, grid.rows, levels),
    levels.map((level) => ringsAt(grid, level)),
  );
});

test("a ring without edges is one closed line", () => {
  const heights = [0, 0, 0, 0, 1, 0, 0, 0, 0];
  const [[ring]] = contourRings(heights, 3, 3, [0.5]);
  assert.deepEqual(levelLines(ring), [[0, 1, 2, 3, 0]]);
});
