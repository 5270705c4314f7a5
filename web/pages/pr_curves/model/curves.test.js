import assert from "node:assert/strict";
import { test } from "node:test";
import { momentsOf, nearestPoint, pathOf, pointAt, thresholdBeside, thresholdsOf } from "./curves.js";

/** @param {number} step @param {Array<[precision: number | string, recall: number]>} values */
const entry = (step, values) => ({
  ...{ step, wall_time: step, average_precision: 0.5 },
  thresholds: values.map((_, at) => at / 4),
  precision: values.map(([precision]) => precision),
  recall: values.map(([, recall]) => recall),
  true_positives: values.map((_, at) => at),
  false_positives: values.map(() => 0),
  true_negatives: values.map(() => 0),
  false_negatives: values.map(() => 0),
});
const [{ points }] = momentsOf([
  entry(0, [
    [0.5, 1],
    ["NaN", 0.8],
    [0.75, 0.5],
    [1, 0.25],
  ]),
]);

test("the last curve of a step counts", () => {
  const moments = momentsOf([entry(1, [[0.1, 1]]), entry(1, [[0.2, 1]]), entry(2, [])]);

  assert.deepEqual(
    moments.map((moment) => [moment.step, moment.points.map(({ precision }) => precision)]),
    [
      [1, [0.2]],
      [2, []],
    ],
  );
});

test("a curve is read at the threshold nearest to the chosen one", () => {
  assert.equal(pointAt(points, 0.55)?.threshold, 0.5);
  assert.equal(pointAt(points, 1)?.threshold, 0.75);
  assert.equal(pointAt([], 0.5), undefined);
});

test("the pointer finds the nearest point that is drawn", () => {
  const size = { width: 100, height: 100 };

  assert.equal(nearestPoint([points], { recall: 0.3, precision: 0.9 }, size)?.threshold, 0.75);
  assert.equal(nearestPoint([points], { recall: 0.8, precision: 0.5 }, size)?.threshold, 0);
  assert.equal(nearestPoint([[]], { recall: 0, precision: 0 }, size), null);
});

test("a path has a gap where precision is not a number", () => {
  const scale = { left: (/** @type {number} */ x) => 100 * x, top: (/** @type {number} */ y) => 100 * (1 - y) };

  assert.equal(pathOf(points, scale), "M100.0 50.0M50.0 25.0L25.0 0.0");
});

test("arrow keys go from threshold to threshold, also from between them", () => {
  const thresholds = thresholdsOf([points, points.slice(0, 2)]);

  assert.deepEqual(thresholds, [0, 0.25, 0.5, 0.75]);
  assert.equal(thresholdBeside(thresholds, 0.25, 1), 0.5);
  assert.equal(thresholdBeside(thresholds, 0.25, -1), 0);
  assert.equal(thresholdBeside(thresholds, 0.3, 1), 0.5);
  assert.equal(thresholdBeside(thresholds, 0.3, -1), 0.25);
  assert.equal(thresholdBeside(thresholds, 0.75, 1), 0.75);
  assert.equal(thresholdBeside([], 0.3, 1), 0.3);
});
