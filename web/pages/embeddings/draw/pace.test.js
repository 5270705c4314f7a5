import assert from "node:assert/strict";
import { test } from "node:test";
import { nextShare, shuffled } from "./pace.js";

test("slow frames draw fewer points, down to as many as every machine draws", () => {
  assert.equal(nextShare(1, 66, 1e6), 0.5);
  assert.equal(nextShare(1, 1000, 1e6), 0.25);
  assert.equal(nextShare(0.02, 66, 1e6), 0.02);
  assert.equal(nextShare(1, 66, 10_000), 1);
});

test("fast frames draw more points, up to all", () => {
  assert.equal(nextShare(0.5, 16, 1e6), 0.625);
  assert.equal(nextShare(0.9, 16, 1e6), 1);
  assert.equal(nextShare(0.5, 25, 1e6), 0.5);
});

test("a shuffled order has each point once", () => {
  const order = shuffled(1000);

  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    Array.from({ length: 1000 }, (_, at) => at),
  );
  const early = order.slice(0, 100).filter((at) => at < 500).length;
  assert.ok(early > 25 && early < 75, String(early));
});
