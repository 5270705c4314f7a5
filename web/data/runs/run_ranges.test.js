import assert from "node:assert/strict";
import { test } from "node:test";
import { rangeOf, withRuns } from "./run_ranges.js";

test("a range has both its ends, in either direction", () => {
  const names = ["a", "b", "c", "d"];
  assert.deepEqual(rangeOf(names, "b", "d"), ["b", "c", "d"]);
  assert.deepEqual(rangeOf(names, "d", "b"), ["b", "c", "d"]);
  assert.deepEqual(rangeOf(names, "gone", "b"), ["b"]);
  assert.deepEqual(rangeOf(names, "a", "gone"), []);
});

test("runs are added to and removed from a set, which itself stays", () => {
  const runs = new Set(["a", "b"]);
  assert.deepEqual([...withRuns(runs, ["b", "c"], true)], ["a", "b", "c"]);
  assert.deepEqual([...withRuns(runs, ["b", "c"], false)], ["a"]);
  assert.deepEqual([...runs], ["a", "b"]);
});
