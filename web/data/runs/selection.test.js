import assert from "node:assert/strict";
import { test } from "node:test";
import { EVERYTHING, isShown, NOTHING, only, switched, toggled } from "./selection.js";

const RUNS = ["a", "b", "c", "d"];
/** @param {import("./selection.js").Selection} selection */
const shown = (selection) => new Set(RUNS.filter((run) => isShown(selection, run)));

test("any sequence of changes shows the same runs as a plain set", () => {
  for (let round = 0; round < 500; round++) {
    let selection = Math.random() < 0.5 ? EVERYTHING : NOTHING;
    let expected = shown(selection);
    for (let step = 0; step < 8; step++) {
      const some = RUNS.filter(() => Math.random() < 0.5);
      const choice = Math.floor(Math.random() * 3);
      if (choice === 0) {
        const run = RUNS[Math.floor(Math.random() * 4)];
        selection = toggled(selection, run);
        if (!expected.delete(run)) expected.add(run);
      } else if (choice === 1) {
        const isOn = Math.random() < 0.5;
        selection = switched(selection, some, isOn, RUNS.length);
        for (const run of some) expected[isOn ? "add" : "delete"](run);
      } else {
        selection = only(RUNS[step % 4]);
        expected = new Set([RUNS[step % 4]]);
      }
      assert.deepEqual(shown(selection), expected);
    }
  }
});

test("new runs are shown unless only some runs are", () => {
  assert.ok(isShown(toggled(EVERYTHING, "a"), "new"));
  assert.ok(!isShown(only("a"), "new"));
  assert.equal(switched(only("a"), RUNS, true, RUNS.length), EVERYTHING);
});
