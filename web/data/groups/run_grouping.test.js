import assert from "node:assert/strict";
import { test } from "node:test";
import { gathered, joinedGroups, nameWithoutSeed, usefulness } from "./run_grouping.js";

test("names lose seeds and times, but keep all other numbers", () => {
  for (const [name, rest] of /** @type {const} */ ([
    ["qwen2.5-7b-sft_lr2e-5_bs64_seed42", "qwen2.5-7b-sft_lr2e-5_bs64"],
    ["sweep/seed=3/lr=0.1", "sweep/lr=0.1"],
    ["HalfCheetah-v4__ppo_continuous_action__3__1764130000", "HalfCheetah-v4__ppo_continuous_action"],
    ["run_2026-11-28_03-44-10", "run"],
    ["resnet50-bs128", "resnet50-bs128"],
    ["exp-0", "exp-0"],
    ["seed42", "seed42"],
    ["reseeded3", "reseeded3"],
  ]))
    assert.equal(nameWithoutSeed(name), rest, name);
});

test("several properties make groups of their combinations", () => {
  const optimizer = (/** @type {string} */ run) => ({ a: ["adam"], b: ["sgd"], c: ["adam"] })[run] ?? [];
  const batch = (/** @type {string} */ run) => ({ a: ["64"], b: ["64"], c: ["128"], d: ["64"] })[run] ?? [];
  const { groups, ungrouped } = gathered([..."abcd"], joinedGroups([optimizer, batch]));
  assert.deepEqual(
    [...groups],
    [
      ["adam, 64", ["a"]],
      ["sgd, 64", ["b"]],
      ["adam, 128", ["c"]],
    ],
  );
  assert.deepEqual(ungrouped, ["d"]);
});

test("a run with several labels is in the group of each", () => {
  const { groups } = gathered(["a", "b"], (run) => (run === "a" ? ["x", "y"] : ["y"]));
  assert.deepEqual(
    [...groups],
    [
      ["x", ["a"]],
      ["y", ["a", "b"]],
    ],
  );
});

test("a property with few groups is more useful than one with a value for each run, whatever its importance", () => {
  const ranked = [
    { name: "lr", values: 120, importance: 0.6 },
    { name: "optimizer", values: 4, importance: 0.3 },
    { name: "schedule", values: 3, importance: 0.01 },
    { name: "constant", values: 1, importance: 0 },
  ].sort((a, b) => usefulness(b.values, 120, b.importance) - usefulness(a.values, 120, a.importance));
  assert.deepEqual(
    ranked.map(({ name }) => name),
    ["optimizer", "schedule", "constant", "lr"],
  );
});
