import assert from "node:assert/strict";
import { test } from "node:test";
import { barsOf } from "./bars.js";

const VALUES = /** @type {Record<string, unknown>} */ ({ a: 2, b: -2, c: NaN, d: null, e: "x", f: Infinity });
const of = (/** @type {string} */ run) => VALUES[run];

test("bars begin at zero and end at their values", () => {
  const { bars, missing } = barsOf(Object.keys(VALUES), of, "run");
  assert.deepEqual(
    bars.map(({ run, from, to }) => [run, from, to]),
    [
      ["a", 0.5, 1],
      ["b", 0, 0.5],
      ["c", 0.5, 0.5],
      ["f", 0.5, 0.5],
    ],
  );
  assert.equal(missing, 2);
});

test("bars are sorted by value, NaN last in either direction", () => {
  const names = (/** @type {"up" | "down"} */ order) =>
    barsOf(Object.keys(VALUES), of, order).bars.map(({ run }) => run);
  assert.deepEqual(names("up"), ["b", "a", "f", "c"]);
  assert.deepEqual(names("down"), ["f", "a", "b", "c"]);
});
