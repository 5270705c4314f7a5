import assert from "node:assert/strict";
import { test } from "node:test";
import { chartTags, machineTags } from "./chart_tags.js";

const TAGS = [
  "a",
  "b",
  "c",
  "machine/cpu_percent",
  "machine/gpu0/memory_gib",
  "machine/gpu0/utilization_percent",
  "machine/gpu10/utilization_percent",
  "machine/gpu2/utilization_percent",
  "machine/read_bytes",
  "system.network",
  "train/loss",
  "validation/accuracy",
  "validation/loss",
];

test("losses and qualities of held-out data come first, then others; the machine has its own", () => {
  assert.deepEqual(chartTags(TAGS), ["validation/loss", "validation/accuracy", "train/loss", "a", "b", "c"]);
  assert.deepEqual(machineTags(TAGS), [
    "machine/gpu0/utilization_percent",
    "machine/gpu2/utilization_percent",
    "machine/gpu10/utilization_percent",
    "machine/cpu_percent",
    "machine/gpu0/memory_gib",
    "system.network",
    "machine/read_bytes",
  ]);
});

test("a failed run begins with its training loss", () => {
  const tags = ["eval/a_acc", "eval/b_acc", "eval/c_acc", "eval/d_acc", "eval/e_acc", "eval/loss", "train/loss"];
  assert.equal(chartTags(tags, true)[0], "train/loss");
  assert.ok(chartTags(tags).includes("train/loss"));
  assert.equal(chartTags(["rollout/reward"], true)[0], "rollout/reward");
});

test("a run without scalars has none", () => {
  assert.deepEqual(chartTags([]), []);
  assert.deepEqual(machineTags([]), []);
});
