import assert from "node:assert/strict";
import { test } from "node:test";
import { bandOf, countPoints, opensOnWallTime, seriesOf, staysAtOneStep, xsOf } from "./series.js";

const reply = (more = {}) => ({
  tag: "loss",
  run: "a",
  rank: 0,
  attempt: null,
  step: [1, 2, 3],
  wall_time: [100, 110, 120],
  value: [1, "NaN", "-Infinity"],
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

test("non-finite values and extremes are parsed", () => {
  const series = seriesOf(reply());
  assert.deepEqual([...series.value], [1, NaN, -Infinity]);
  assert.deepEqual(series.min, { value: 0.5, step: 9 });
  assert.equal(series.max, null);
});

test("x is the step, the wall time, or the time since the start", () => {
  const series = seriesOf(reply());
  assert.deepEqual([...xsOf(series, "step", 90)], [1, 2, 3]);
  assert.deepEqual([...xsOf(series, "wall_time", 90)], [100, 110, 120]);
  assert.deepEqual([...xsOf(series, "relative", 90)], [10, 20, 30]);
});

test("a series stays at one step only if it has several points", () => {
  assert.ok(staysAtOneStep(seriesOf(reply({ step: [4, 4], wall_time: [1, 2], value: [1, 2] }))));
  assert.ok(staysAtOneStep(seriesOf(reply({ step: [4], wall_time: [1], value: [1], duplicates: 3 }))));
  assert.ok(!staysAtOneStep(seriesOf(reply({ step: [4], wall_time: [1], value: [1], duplicates: 0 }))));
  assert.ok(!staysAtOneStep(seriesOf(reply())));
});

test("metrics of the machine and series at one step open on wall time", () => {
  const moving = seriesOf(reply());
  const still = seriesOf(reply({ step: [4, 4], wall_time: [1, 2], value: [1, 2] }));
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
  });
});

test("a band has the extremes of its centre", () => {
  const band = bandOf({
    tag: "loss",
    group: "g",
    runs: ["a", "b"],
    x: [1, 2, 3],
    centre: [3, "NaN", 1],
    low: [2, 2, 0],
    high: [4, 4, 2],
    count: [2, 3, 1],
    non_finite: [0, 1, 0],
    total: 3,
    aligned: 3,
  });
  assert.deepEqual(band.min, { value: 1, step: 3 });
  assert.deepEqual(band.max, { value: 3, step: 1 });
  assert.equal(band.band?.most, 3);
  assert.ok(band.band?.hasNonFinite);
});
