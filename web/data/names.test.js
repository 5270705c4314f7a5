import assert from "node:assert/strict";
import { test } from "node:test";
import { likelyBest, likelyMetrics } from "./metrics.js";
import { cutGroup, cutLeaf, groupTags, likelyFocus, tagLabels } from "./names.js";
import { regexFilter } from "./regex_filter.js";

test("tags are split after the first slash, runs after the last one", () => {
  assert.deepEqual(cutGroup("train/loss/mean"), ["train/", "loss/mean"]);
  assert.deepEqual(cutGroup("/loss"), ["", "/loss"]);
  assert.deepEqual(cutGroup("loss/"), ["", "loss/"]);
  assert.deepEqual(cutLeaf("a/b/train"), ["a/b/", "train"]);
  assert.deepEqual(cutLeaf("a/b/"), ["a/", "b/"]);
});

test("groups are in natural order, ungrouped tags last; many groups of one tag are dissolved", () => {
  assert.deepEqual(groupTags(["b10/x", "b2/y", "b2/x", "lr", "b10/y"]), [
    { name: "b2", tags: ["b2/x", "b2/y"] },
    { name: "b10", tags: ["b10/x", "b10/y"] },
    { name: "", tags: ["lr"] },
  ]);
  assert.deepEqual(groupTags(["conv2/auto", "conv1/auto", "conv10/auto"]), [
    { name: "", tags: ["conv1/auto", "conv2/auto", "conv10/auto"] },
  ]);
});

test("metrics of the machine are last", () => {
  const names = groupTags(["machine/cpu", "machine/disk", "lr", "train/loss"]).map(({ name }) => name);
  assert.deepEqual(names, ["train", "", "machine"]);
});

test("the likely focus is a loss that most runs have", () => {
  const counts = new Map([
    ["loss", 1],
    ["train/loss", 3],
    ["accuracy", 9],
  ]);
  assert.equal(likelyFocus([...counts.keys()], counts), "train/loss");
  assert.equal(likelyFocus(["lr", "accuracy"], counts), "accuracy");
  assert.equal(likelyFocus([]), "");
});

test("lower is better for errors and times, not for accuracies", () => {
  for (const tag of ["train/loss", "val_mse", "error", "time", "epoch_seconds"])
    assert.equal(likelyBest(tag), "min", tag);
  for (const tag of ["accuracy", "f1", "reward", "runtime_ratio"]) assert.equal(likelyBest(tag), "max", tag);
});

test("likely metrics are a loss and a quality, or the focus instead of the loss", () => {
  const tags = [
    { tag: "train/loss", runs: 5 },
    { tag: "accuracy", runs: 5 },
    { tag: "lr", runs: 9 },
  ];
  assert.deepEqual(likelyMetrics(tags, "", 2), ["train/loss", "accuracy"]);
  assert.deepEqual(likelyMetrics(tags, "lr", 2), ["lr", "accuracy"]);
  assert.deepEqual(likelyMetrics([], "", 2), []);
});

test("a filter matches anywhere and ignores case; an invalid one keeps everything", () => {
  assert.ok(regexFilter("LO.S").keeps("train/loss"));
  assert.ok(!regexFilter("^loss").keeps("train/loss"));
  const invalid = regexFilter("lo(");
  assert.ok(invalid.keeps("anything"));
  assert.match(invalid.error ?? "", /nterminated/);
});

test("tags of one chart are labelled by their names, or whole where those are equal", () => {
  assert.deepEqual(tagLabels(["train/loss", "train/accuracy"]), ["loss", "accuracy"]);
  assert.deepEqual(tagLabels(["train/loss", "validation/loss", "lr"]), ["train/loss", "validation/loss", "lr"]);
});
