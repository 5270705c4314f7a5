import assert from "node:assert/strict";
import { test } from "node:test";
import { regexFilter } from "../text/regex_filter.js";
import { cutGroup, cutLeaf, groupTags, tagLabels } from "./names.js";

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

test("tags are grouped at a dot that three of them share, but not in numbers, files or after a number", () => {
  const names = (/** @type {string[]} */ ...tags) => groupTags(tags).map(({ name }) => name);
  const machine = [0, 1, 2].flatMap((gpu) => [`gpu.${gpu}.memory`, `gpu.${gpu}.power`]);
  assert.deepEqual(names(...machine, "loss"), ["gpu", ""]);
  assert.deepEqual(names("lr.encoder", "lr.decoder"), [""]);
  assert.deepEqual(names("v0.1", "v0.2", "v0.3", "top1.5", "top1.6", "top1.7"), [""]);
  assert.deepEqual(names("data.json", "data.csv", "data.npz", "0.a", "0.b", "0.c"), [""]);
  assert.deepEqual(names("norm.0.a.x", "norm.0.a.y", "norm.0.a.z"), ["norm"]);
});

test("metrics of the machine are last", () => {
  const names = groupTags(["machine/cpu", "machine/disk", "lr", "train/loss"]).map(({ name }) => name);
  assert.deepEqual(names, ["train", "", "machine"]);
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
