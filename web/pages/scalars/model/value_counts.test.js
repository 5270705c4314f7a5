import assert from "node:assert/strict";
import { test } from "node:test";
import { valueCounts } from "./value_counts.js";

test("different values are counted, a missing one as a value", () => {
  const runs = [{ lr: 0.1, seed: 1 }, { lr: 0.1, seed: "1" }, { lr: 0.1 }];
  assert.deepEqual(valueCounts(runs), [
    { name: "lr", values: 1 },
    { name: "seed", values: 3 },
  ]);
});
