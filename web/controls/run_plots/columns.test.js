import assert from "node:assert/strict";
import { test } from "node:test";
import { columnOf, columnsOf, correlation } from "./columns.js";

let seed = 29;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;

test("columns are ordered by section and name, and a run without a value has null", () => {
  const columns = columnsOf([
    { run: "a", metric: { accuracy: 0.5 }, param: { lr10: 1, lr2: 2 } },
    { run: "b", param: { lr2: "auto" }, data: { z: 1, a: 2 } },
  ]);
  assert.deepEqual([...columns.keys()], ["param:lr2", "param:lr10", "metric:accuracy", "data:z", "data:a"]);
  assert.deepEqual(columns.get("metric:accuracy")?.values, [0.5, null]);
  assert.deepEqual(columns.get("param:lr2")?.categories, ["2", "auto"]);
});

test("a column of numbers may contain non-finite ones as text", () => {
  const column = columnOf("metric", "loss", [3, "NaN", null, -1, "-Infinity", 3]);
  assert.deepEqual(column.values, [3, NaN, null, -1, -Infinity, 3]);
  const { isNumber, lo, hi, recordedRuns, distinct, hasMissing, hasNonFinite, categories } = column;
  assert.deepEqual(
    { isNumber, lo, hi, recordedRuns, distinct, hasMissing, hasNonFinite, categories },
    {
      isNumber: true,
      lo: -1,
      hi: 3,
      recordedRuns: 5,
      distinct: 4,
      hasMissing: true,
      hasNonFinite: true,
      categories: [],
    },
  );
});

test("one text makes all values of a column texts, and lists are JSON", () => {
  const column = columnOf("param", "layers", [[64, 32], 3, true]);
  assert.deepEqual(column.values, ["[64,32]", "3", "true"]);
  assert.ok(Number.isNaN(column.lo) && Number.isNaN(column.hi));
  assert.equal(columnOf("param", "empty", [null, null]).isNumber, false);
});

test("the correlation is that of the definition, over finite pairs of the given rows", () => {
  for (let round = 0; round < 50; round++) {
    const offset = 10 ** (round % 8);
    const xs = Array.from({ length: 40 }, () => (random() < 0.1 ? null : random() + offset));
    const ys = xs.map((x) => (x === null || random() < 0.1 ? "NaN" : x * (round % 2 ? 1 : -1) + random()));
    const rows = xs.flatMap((_, row) => (random() < 0.8 ? [row] : []));
    const [x, y] = [columnOf("param", "x", xs), columnOf("metric", "y", ys)];
    const pairs = rows.flatMap((row) => {
      const [a, b] = [x.values[row], y.values[row]];
      return typeof a === "number" && typeof b === "number" && Number.isFinite(a + b) ? [[a, b]] : [];
    });
    const mean = (/** @type {number} */ at) => pairs.reduce((sum, pair) => sum + pair[at], 0) / pairs.length;
    const [meanX, meanY] = [mean(0), mean(1)];
    const moment = (/** @type {number} */ i, /** @type {number} */ j) =>
      pairs.reduce((sum, pair) => sum + (pair[i] - [meanX, meanY][i]) * (pair[j] - [meanX, meanY][j]), 0);
    const { r, count } = correlation(x, y, rows);
    assert.equal(count, pairs.length);
    assert.ok(Math.abs(r - moment(0, 1) / Math.sqrt(moment(0, 0) * moment(1, 1))) < 1e-6);
  }
});

test("the correlation with a constant is undefined", () => {
  const [x, y] = [columnOf("param", "x", [1, 1, 1]), columnOf("metric", "y", [1, 2, 3])];
  assert.ok(Number.isNaN(correlation(x, y, [0, 1, 2]).r));
});
