import assert from "node:assert/strict";
import { test } from "node:test";
import { readingsOf, stepOf, undrawnAt } from "./readings.js";

/** @param {string} run @param {number[]} steps that are drawn, with 10 times the step as their values
 * @param {number} [total] points before downsampling */
function hit(run, steps, total = steps.length, index = 0) {
  const xs = Float64Array.from(steps);
  const value = xs.map((step) => step * 10);
  const series = {
    run,
    step: xs,
    wall_time: xs,
    value,
    smoothed: new Float64Array(),
    total,
    duplicates: 0,
    band: null,
  };
  return { line: { run, key: run, xs, ys: value, raw: null, series, style: { colour: 0, dash: 0 } }, index };
}

test("a read-out is about the step of the pointed line, or else about the nearest drawn one", () => {
  const hits = [hit("a", [5, 9], 2, 1), hit("b", [6], 1, 0)];
  assert.equal(stepOf(hits, hits[0], 6), 9);
  assert.equal(stepOf(hits, null, 6.2), 6);
});

test("a line that has not drawn the step shows its exact point, or else its nearest one and that it is elsewhere", () => {
  const hits = [hit("drawn", [4, 6, 8]), hit("exact", [5, 9], 100), hit("other", [4, 7], 100)];
  const exact = new Map([["exact", { step: 6, wallTime: 1, value: 61, drawn: 62 }]]);
  const shown = readingsOf(hits, 6, exact).map(({ step, value, drawn, isElsewhere }) => [
    step,
    value,
    drawn,
    isElsewhere,
  ]);
  assert.deepEqual(shown, [
    [6, 60, 60, false],
    [6, 61, 62, false],
    [7, 70, 70, true],
  ]);
});

test("without a step, lines show the points under the cursor", () => {
  assert.deepEqual(
    readingsOf([hit("a", [1, 2, 3], 3, 2)], null, new Map()).map(({ step, isElsewhere }) => [step, isElsewhere]),
    [[3, false]],
  );
});

test("only downsampled lines that have not drawn the step are requested", () => {
  const hits = [hit("drawn", [6, 7], 100), hit("complete", [5, 7]), hit("wanted", [5, 7], 100)];
  assert.deepEqual(
    undrawnAt(hits, 6).map(({ run }) => run),
    ["wanted"],
  );
});
