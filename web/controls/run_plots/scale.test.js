import assert from "node:assert/strict";
import { test } from "node:test";
import { binCount, countsOf, highestCount } from "./bins.js";
import { columnOf } from "./columns.js";
import {
  canBeLog,
  categoryPlace,
  isLogByDefault,
  MISSING,
  NON_FINITE,
  placeOf,
  scaleOf,
  ticksOf,
  valueAt,
} from "./scale.js";

let seed = 37;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
/** @param {unknown[]} values */
const column = (values) => columnOf("param", "x", values);

test("numbers have places from 0 at the smallest to 1 at the largest", () => {
  const { places } = scaleOf(column([2, 6, null, 4, "NaN"]), false);
  assert.deepEqual([...places], [0, 1, MISSING, 0.5, NON_FINITE]);
  const logarithmic = scaleOf(column([0.001, 0.1, 0.01]), true);
  assert.ok(Math.abs(logarithmic.places[2] - 0.5) < 1e-6);
});

test("categories have even places, the first at the top", () => {
  const { places, kind } = scaleOf(column(["b", "a", null, "c"]), true);
  assert.equal(kind, "category");
  assert.deepEqual(
    [...places].map((place) => Number(place.toFixed(3))),
    [0.5, 0.833, MISSING, 0.167],
  );
  assert.equal(categoryPlace(0, 1), 0.5);
});

test("a single number is in the middle of its axis", () => {
  for (const value of [0, 5, -3]) assert.ok(Math.abs(scaleOf(column([value, value]), false).places[0] - 0.5) < 1e-6);
});

test("the value at a place has that place, up to the resolution of the axis", () => {
  for (let round = 0; round < 200; round++) {
    const [a, b] = [random() * 10 ** (round % 6), random() * 10 ** (round % 6)];
    const [lo, hi] = [Math.min(a, b), Math.max(a, b)];
    const scale = scaleOf(column([lo, hi]), hi > 10 * lo);
    const place = random();
    assert.ok(Math.abs(placeOf(scale, valueAt(scale, place)) - place) < 0.003);
  }
  const scale = scaleOf(column([1, 9]), false);
  assert.deepEqual([valueAt(scale, 0), valueAt(scale, 1)], [-Infinity, Infinity]);
});

test("an axis is logarithmic by default if its numbers are positive, wide, and crowded at the lower end", () => {
  assert.equal(isLogByDefault(column([0.001, 0.01, 0.1, 1])), true);
  assert.equal(isLogByDefault(column([0.5, 1, 2])), false);
  assert.equal(isLogByDefault(column([0.001, 0.9, 0.95, 1])), false);
  assert.equal(canBeLog(column([0, 1])), false);
  assert.equal(canBeLog(column(["a", "b"])), false);
});

test("ticks are on the axis, increasing, and not many more than requested", () => {
  for (let round = 0; round < 300; round++) {
    const size = 10 ** ((round % 30) - 15);
    const [a, b] = [(random() - 0.5) * size, (random() - 0.5) * size];
    if (a === b) continue;
    const scale = scaleOf(column([Math.min(a, b), Math.max(a, b)]), false);
    const ticks = ticksOf(scale, { length: 300, isVertical: true, space: 38 });
    assert.ok(ticks.length >= 3 && ticks.length <= 8, `${a} ${b}: ${ticks.length}`);
    ticks.forEach(({ place }, at) => {
      assert.ok(place >= -1e-6 && place <= 1 + 1e-6);
      if (at) assert.ok(place > ticks[at - 1].place);
    });
  }
  const extreme = scaleOf(column([-Number.MAX_VALUE, Number.MAX_VALUE]), false);
  assert.ok(
    ticksOf(extreme, { length: 200, isVertical: true, space: 38 }).every(
      ({ place }) => place >= -1e-6 && place <= 1 + 1e-6,
    ),
  );
});

test("of many categories some have labels", () => {
  const names = Array.from({ length: 100 }, (_, i) => `name${String(i).padStart(3, "0")}`);
  const ticks = ticksOf(scaleOf(column(names), false), { length: 200, isVertical: true, space: 20 });
  assert.deepEqual(
    ticks.map(({ text }) => text),
    names.filter((_, i) => i % 10 === 0),
  );
});

test("histogram counts contain every row with a place once", () => {
  const values = Array.from({ length: 500 }, () => (random() < 0.1 ? null : random()));
  const scale = scaleOf(column(values), false);
  const rows = values.flatMap((_, row) => (row % 2 ? [row] : []));
  const counts = countsOf(scale, rows, 20);
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    rows.filter((row) => values[row] !== null).length,
  );
  assert.equal(highestCount(counts), Math.max(...counts));
  assert.equal(binCount(scale, 20), 20);
  assert.equal(binCount(scaleOf(column(["a", "b", "c"]), false), 20), 3);
});
