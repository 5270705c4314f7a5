import assert from "node:assert/strict";
import { test } from "node:test";
import { meanOf, spreadOf } from "./mean.js";
import { RowSlots } from "./run_table/row_slots.js";
import { indexAtOrBefore, sameSteps, unionOf } from "./steps.js";

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
