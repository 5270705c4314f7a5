import assert from "node:assert/strict";
import { test } from "node:test";
import { landscapeOf } from "./landscape.js";

const REPLY = {
  run: "run",
  tag: "tag",
  wall_time: "12.5",
  publication: 1,
  publications: { step: [1, 2], wall_time: ["1", "12.5"] },
  error: null,
  kind: "interval",
  x: [0, 1],
  y: [0, 1],
  z: [
    [3, "NaN"],
    [-1, 0.5],
  ],
  path: { x: [0], y: [0], z: ["Infinity"], intervals: [2] },
  convergence_point: [0, 1, "2"],
  metadata: { decomposition: "PCA", unit: "epoch", step_per_epoch: 5 },
  level: 1,
  measured: null,
  truth: null,
  diagnostics: {},
};

/** @param {object} changes @param {Float64Array | null} [losses] */
const parsed = (changes = {}, losses = null) => landscapeOf(/** @type {any} */ ({ ...REPLY, ...changes }), losses);

test("a reply is converted to numbers, row by row", () => {
  const { x, z, wallTime, publications, path, convergence, diagnostics } = parsed();
  assert.deepEqual([...x, ...z], [0, 1, 3, NaN, -1, 0.5]);
  assert.deepEqual([wallTime, ...publications.wallTimes], [12.5, 1, 12.5]);
  assert.deepEqual([...(path?.z ?? []), ...(path?.steps ?? [])], [Infinity, 10]);
  assert.deepEqual(convergence, [0, 1, 2]);
  assert.equal(diagnostics, null);
});

test("losses are counted once: lowest, highest, lowest positive, without a number or logarithm", () => {
  assert.deepEqual(parsed().tally, { lo: -1, hi: 3, lowestAt: 2, loAboveZero: 0.5, nonFinite: 1, notPositive: 1 });
  const { tally } = parsed({}, Float64Array.of(NaN, Infinity));
  assert.deepEqual([tally.lo, tally.hi, tally.lowestAt, tally.nonFinite], [Infinity, -Infinity, -1, 2]);
});

test("the losses of a large surface replace those of the reply", () => {
  assert.deepEqual([...parsed({ z: [] }, Float64Array.of(1, 2, 3, 4)).z], [1, 2, 3, 4]);
});
