import assert from "node:assert/strict";
import { test } from "node:test";
import { likelyMetrics, likelyTarget } from "./metrics.js";

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

test("likely metrics are a loss and a quality, or the focus instead of the loss", () => {
  const tags = [
    { tag: "train/loss", runs: 5 },
    { tag: "accuracy", runs: 5 },
    { tag: "lr", runs: 9 },
  ];
  assert.deepEqual(likelyMetrics(tags, "", 2), ["train/loss", "accuracy"]);
  assert.deepEqual(likelyMetrics(tags, "lr", 2), ["lr", "train/loss"]);
  assert.deepEqual(likelyMetrics([], "", 2), []);
});

test("the target is a metric of validation data, else a reward, else a loss", () => {
  const target = (/** @type {string[]} */ ...names) => likelyTarget(names.map((tag) => ({ tag, runs: 5 })));
  assert.equal(target("train/loss", "rollout/ep_rew_mean", "eval/mean_reward"), "eval/mean_reward");
  assert.equal(target("charts/episodic_return", "losses/value_loss", "charts/learning_rate"), "charts/episodic_return");
  assert.equal(target("train/loss", "train/accuracy", "lr"), "train/loss");
  assert.equal(target("lr", "accuracy"), "accuracy");
  assert.equal(likelyTarget([]), "");
});

test("neither an entropy nor a learning rate is the target, in any order of length", () => {
  const others = ["losses/entropy", "lr", "train/lr", "train/learning_rate", "losses/approx_kl", "charts/SPS", "epoch"];
  for (const result of ["losses/policy_loss", "x", "val_mse", "FID", "some/very/long/name/of/an/unknown/metric"])
    assert.equal(likelyTarget([...others, result].map((tag) => ({ tag, runs: 3 }))), result);
  assert.deepEqual(
    likelyMetrics(
      ["losses/entropy", "charts/episodic_return", "losses/value_loss", "charts/SPS"].map((tag) => ({ tag, runs: 5 })),
      "",
      2,
    ),
    ["charts/episodic_return", "losses/value_loss"],
  );
  assert.equal(likelyTarget([{ tag: "lr", runs: 1 }]), "lr");
});
