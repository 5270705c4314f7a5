// Conditions of rules that are made from charts.

import assert from "node:assert/strict";
import test from "node:test";
import { conditionOf, isAbout, textOf } from "./alert_rule.js";

test("a condition compares a tag with a number", () => {
  assert.equal(conditionOf("train/loss", true, 2), "train/loss > 2");
  assert.equal(conditionOf("accuracy", false, 1e-7), "accuracy < 1e-7");
});

test("tags that mean something else in an expression are put in backquotes", () => {
  const conditions = ["a b", "a<b", "step", "NaN", "x`y", "损失"].map((tag) => conditionOf(tag, true, 1));
  assert.deepEqual(conditions, ["`a b` > 1", "`a<b` > 1", "`step` > 1", "`NaN` > 1", "`x``y` > 1", "`损失` > 1"]);
});

test("a rule says its condition and its search", () => {
  assert.equal(textOf({ when: "loss > 2", runs: "" }), "loss > 2");
  assert.equal(textOf({ when: "loss > 2", runs: "label:paper" }), "loss > 2 · label:paper");
});

test("the rules of a tag are known by their conditions", () => {
  const conditions = [
    "loss > 2",
    "loss < -1e-3",
    "loss > 2 * min(loss)",
    "loss > 2 for 5 steps",
    "gap > 2",
    "nan(loss)",
  ];
  assert.deepEqual(
    conditions.filter((when) => isAbout(when, "loss")),
    ["loss > 2", "loss < -1e-3"],
  );
  assert.ok(isAbout(conditionOf("a b", false, 3), "a b"));
});
