import assert from "node:assert/strict";
import { test } from "node:test";
import { bandOf, countPoints, numbersOf, opensOnWallTime, seriesOf, staysAtOneStep, xsOf } from "./series.js";

const reply = (more = {}) => ({
  tag: "loss",
  run: "a",
  expr: false,
  rank: 0,
  attempt: null,
  kept: 0,
  cursor: "",
  step: { start: 1, stride: 1, count: 3 },
  wall_time: Float64Array.of(100, 110, 120),
  value: Float32Array.of(1, NaN, -Infinity),
  smoothed: [],
  total: 7,
  duplicates: 2,
  hidden: 0,
  min: 0.5,
  min_step: 9,
  max: null,
  max_step: null,
  ...more,
});

/** Columns of points at some steps. @param {number[]} steps */
const at = (steps) => ({
  step: Int32Array.from(steps),
  wall_time: Float64Array.from(steps.keys()),
  value: Float32Array.from(steps.keys()),
});

test("columns of a reply become doubles", () => {
  assert.deepEqual(numbersOf({ start: 5, stride: -2, count: 3 }), Float64Array.of(5, 3, 1));
  assert.deepEqual(numbersOf(BigInt64Array.of(2n ** 40n)), Float64Array.of(2 ** 40));
  assert.deepEqual(numbersOf(Float32Array.of(0.5, NaN)), Float64Array.of(0.5, NaN));
  assert.deepEqual(numbersOf([]), new Float64Array());
});

test("new points follow those that are kept of the series before", () => {
  const before = seriesOf(reply());
  const rest = {
    step: { start: 9, stride: 1, count: 2 },
    wall_time: Float64Array.of(5, 6),
    value: Float32Array.of(7, 8),
  };
  const after = seriesOf(reply({ ...rest, kept: 2, cursor: "next", total: 8 }), before);
  assert.deepEqual([...after.step], [1, 2, 9, 10]);
  assert.deepEqual([...after.wall_time], [100, 110, 5, 6]);
  assert.deepEqual([...after.value], [1, NaN, 7, 8]);
  assert.deepEqual([...after.smoothed], []);
  assert.deepEqual([after.cursor, after.total], ["next", 8]);
  assert.deepEqual([...before.step], [1, 2, 3]);

  const again = seriesOf(reply({ ...rest, kept: 0 }), before);
  assert.deepEqual([...again.step], [9, 10]);
});

test("non-finite values and extremes stay", () => {
  const series = seriesOf(reply());
  assert.deepEqual([...series.value], [1, NaN, -Infinity]);
  assert.deepEqual(series.min, { value: 0.5, step: 9 });
  assert.equal(series.max, null);
});

test("x is the step, the wall time, or the time since the start", () => {
  const series = seriesOf(reply());
  assert.deepEqual([...xsOf(series, "step", 0)], [1, 2, 3]);
  assert.deepEqual([...xsOf(series, "wall_time", 0)], [100, 110, 120]);
  assert.deepEqual([...xsOf(series, "relative", 90)], [10, 20, 30]);
  assert.deepEqual([...xsOf(series, "relative_step", 1)], [0, 1, 2]);
});

test("a series stays at one step only if it has several points", () => {
  assert.ok(staysAtOneStep(seriesOf(reply(at([4, 4])))));
  assert.ok(staysAtOneStep(seriesOf(reply({ ...at([4]), duplicates: 3 }))));
  assert.ok(!staysAtOneStep(seriesOf(reply({ ...at([4]), duplicates: 0 }))));
  assert.ok(!staysAtOneStep(seriesOf(reply())));
});

test("metrics of the machine and series at one step open on wall time", () => {
  const moving = seriesOf(reply());
  const still = seriesOf(reply(at([4, 4])));
  assert.ok(opensOnWallTime("machine/cpu_percent", [moving]));
  assert.ok(opensOnWallTime("machine/cpu_percent", []));
  assert.ok(opensOnWallTime("loss", [still]));
  assert.ok(!opensOnWallTime("loss", [still, moving]));
  assert.ok(!opensOnWallTime("loss", []));
});

test("points are counted without duplicates", () => {
  assert.deepEqual(countPoints([seriesOf(reply()), seriesOf(reply({ total: 1, duplicates: 0 }))]), {
    drawn: 6,
    total: 8,
    duplicates: 2,
    unplaced: 0,
    setBack: 0,
  });
});

test("a band has the extremes of its centre", () => {
  const band = bandOf(
    {
      tag: "loss",
      group: "g",
      runs: ["a", "b"],
      x: { start: 1, stride: 1, count: 3 },
      centre: Float32Array.of(3, NaN, 1),
      low: Float32Array.of(2, 2, 0),
      high: Float64Array.of(4, 4, 2),
      count: Int32Array.of(2, 3, 1),
      non_finite: Int32Array.of(0, 1, 0),
      total: 3,
      aligned: 3,
    },
    { centre: "mean", band: "std" },
  );
  assert.deepEqual(band.min, { value: 1, step: 3 });
  assert.deepEqual(band.max, { value: 3, step: 1 });
  assert.equal(band.band?.most, 3);
  assert.ok(band.band?.hasNonFinite);
});
