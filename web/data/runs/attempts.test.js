import assert from "node:assert/strict";
import { test } from "node:test";
import { hiddenAttempts, offeredAttempts } from "./attempts.js";

test("the last four attempts are offered, none of a run that never restarted", () => {
  assert.deepEqual(offeredAttempts(1), []);
  assert.deepEqual(offeredAttempts(2), [1, 2]);
  assert.deepEqual(offeredAttempts(9), [6, 7, 8, 9]);
});

test("hidden points are counted over all series of a chart", () => {
  const attempts = new Map([
    ["a", 2],
    ["b", 3],
    ["c", 1],
  ]);
  const series = [{ run: "a", hidden: 15 }, { run: "a", hidden: 1 }, { run: "b", hidden: 4 }, { run: "c" }];
  assert.deepEqual(hiddenAttempts(series, attempts), { points: 20, attempts: 3 });
  assert.deepEqual(hiddenAttempts([{ run: "c", hidden: 0 }], attempts), { points: 0, attempts: 1 });
});
