import assert from "node:assert/strict";
import { test } from "node:test";
import { RowSlots } from "./row_slots.js";
import { indexAtOrBefore, sameSteps, unionOf } from "./steps.js";
import { groupRows, meanOf, sortedBy, sortingNames, sortingOf, sortRows, spreadOf } from "./table_rows.js";

test("rows are sorted naturally and stably, missing values last in either direction", () => {
  const rows = ["lr10", null, "lr9", NaN, 3, "LR9", 20];
  const sorted = (/** @type {boolean} */ down) => sortRows(rows, [{ value: (row) => row, down }]);
  assert.deepEqual(sorted(false), [3, 20, "LR9", "lr9", "lr10", null, NaN]);
  assert.deepEqual(sorted(true).slice(-2), [null, NaN]);
});

test("later columns break ties of earlier ones", () => {
  const rows = Array.from({ length: 200 }, (_, id) => ({ a: id % 3, b: Math.random(), id }));
  const sorted = sortRows(rows, [
    { value: ({ a }) => a, down: true },
    { value: ({ b }) => b, down: false },
  ]);
  for (let index = 1; index < sorted.length; index++) {
    const [before, row] = [sorted[index - 1], sorted[index]];
    assert.ok(before.a > row.a || (before.a === row.a && before.b <= row.b));
  }
});

test("clicks on a column sort ascending, descending, not at all", () => {
  let sorting = sortingOf(["-name"]);
  assert.deepEqual(sortingNames(sorting), ["-name"]);
  sorting = sortedBy(sorting, "loss", false, false);
  assert.deepEqual(sortingNames(sorting), ["loss"]);
  sorting = sortedBy(sorting, "name", true, true);
  assert.deepEqual(sortingNames(sorting), ["loss", "-name"]);
  sorting = sortedBy(sorting, "loss", true, false);
  assert.deepEqual(sortingNames(sorting), ["-loss", "-name"]);
  assert.deepEqual(sortingNames(sortedBy(sorting, "loss", true, false)), ["-name"]);
});

test("groups keep the order of their rows, the rows without a group are last", () => {
  const groups = groupRows([1, 2, 3, 4, 5], (row) => (row === 1 ? null : row % 2 ? "odd" : "even"));
  assert.deepEqual(groups, [
    { name: "even", rows: [2, 4] },
    { name: "odd", rows: [3, 5] },
    { name: null, rows: [1] },
  ]);
});

test("a mean ignores what is not a finite number", () => {
  assert.deepEqual(meanOf([1, "2", null, NaN, 3]), { mean: 2, count: 2 });
  assert.equal(meanOf(["a"]), null);
});

test("a row that stays keeps its slot, and no two rows share one", () => {
  const slots = new RowSlots();
  let before = new Map();
  for (let round = 0; round < 300; round++) {
    const first = Math.floor(Math.random() * 30);
    const rows = Array.from({ length: 10 }, (_, place) => `row${first + place}`);
    const assigned = slots.assign(rows);
    const now = new Map(rows.map((row, place) => [row, assigned[place]]));
    assert.equal(new Set(assigned).size, rows.length);
    for (const [row, slot] of now) if (before.has(row)) assert.equal(slot, before.get(row));
    before = now;
  }
});

test("a jump reuses the slots of the rows before", () => {
  const slots = new RowSlots();
  const first = slots.assign(["a", "b", "c"]);
  assert.deepEqual(slots.assign(["x", "y", "z"]), first);
});

test("steps are united and searched", () => {
  assert.deepEqual(unionOf([[1, 5], [2, 5], []]), [1, 2, 5]);
  assert.equal(indexAtOrBefore([1, 2, 5], 4), 1);
  assert.equal(indexAtOrBefore([1, 2, 5], 0), -1);
  assert.equal(indexAtOrBefore([1, 2, 5], Infinity), 2);
  assert.ok(sameSteps([1, 2], [1, 2]) && !sameSteps([1, 2], [1, 3]) && !sameSteps([1], [1, 2]));
});

test("the spread of a group is that of a sample", () => {
  assert.deepEqual(spreadOf([2, 4, null, Infinity, 6]), { mean: 4, count: 3, deviation: 2 });
  assert.ok(Number.isNaN(spreadOf([5])?.deviation));
  assert.equal(spreadOf([null]), null);
});
