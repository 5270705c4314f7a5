import assert from "node:assert/strict";
import { test } from "node:test";
import { compareNatural } from "../text/natural_order.js";
import { inManualOrder, movedTo, shortestOrder, sortedByChange } from "./card_order.js";

/** @param {string[]} tags */
function shuffled(tags) {
  return tags
    .map((tag) => /** @type {const} */ ([Math.random(), tag]))
    .sort(([a], [b]) => a - b)
    .map(([, tag]) => tag);
}

test("the shortest order restores the order of a group, and keeps those of other groups", () => {
  const tags = ["a", "b", "c", "d", "e10", "e9"].sort(compareNatural);
  for (let round = 0; round < 500; round++) {
    const shown = shuffled(tags);
    const order = shortestOrder(["other", ...shuffled(tags).slice(0, 3)], shown);
    assert.equal(order[0], "other");
    assert.deepEqual(inManualOrder([{ name: "", tags }], order)[0].tags, shown);
  }
});

test("natural order needs no manual order", () => {
  assert.deepEqual(shortestOrder(["b"], ["a", "b", "c"]), []);
});

test("a tag moves to the place of another", () => {
  assert.deepEqual(movedTo(["a", "b", "c"], "a", "c"), ["b", "c", "a"]);
  assert.deepEqual(movedTo(["a", "b", "c"], "c", "a"), ["c", "a", "b"]);
  assert.deepEqual(movedTo(["a", "b"], "a", "missing"), ["a", "b"]);
});

test("groups and tags are sorted by their newest change; almost simultaneous changes by name", () => {
  const groups = [
    { name: "x", tags: ["x/b", "x/a"] },
    { name: "y", tags: ["y/1", "y/2", "y/3"] },
  ];
  const changedAt = new Map([
    ["x/a", 1001],
    ["x/b", 1002],
    ["y/2", 2000],
    ["y/3", 1500],
  ]);
  assert.deepEqual(sortedByChange(groups, changedAt), [
    { name: "y", tags: ["y/2", "y/3", "y/1"] },
    { name: "x", tags: ["x/a", "x/b"] },
  ]);
});
