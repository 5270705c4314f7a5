import assert from "node:assert/strict";
import { test } from "node:test";
import { likelyMetrics } from "./metrics.js";

const tags = (/** @type {Record<string, number>} */ counts) =>
  Object.entries(counts).map(([tag, runs]) => ({ tag, runs }));

test("metrics of validation data are preferred to those of training data", () => {
  const counts = tags({ "train/loss": 12, "train/accuracy": 12, "validation/loss": 12, "validation/accuracy": 11 });
  assert.deepEqual(likelyMetrics(counts, "", 2), ["validation/loss", "validation/accuracy"]);
  assert.deepEqual(likelyMetrics(tags({ loss: 3, val_loss: 3, acc: 3 }), "", 2), ["val_loss", "acc"]);
});

test("what few runs have is not preferred, and words that only contain the name of a part are no part", () => {
  assert.deepEqual(likelyMetrics(tags({ "train/loss": 12, "test/loss": 2 }), "", 1), ["train/loss"]);
  assert.deepEqual(likelyMetrics(tags({ loss: 5, latest_loss: 5 }), "", 1), ["loss"]);
});

test("a selected tag replaces the loss", () => {
  assert.deepEqual(likelyMetrics(tags({ "train/loss": 2, "validation/loss": 2, accuracy: 2 }), "train/loss", 2), [
    "train/loss",
    "accuracy",
  ]);
});
