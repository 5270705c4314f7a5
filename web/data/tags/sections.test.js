import assert from "node:assert/strict";
import { test } from "node:test";
import { groupTags } from "./names.js";
import { ALL_CLOSED, flattened, isClosed, openedUpTo, sectionsOf, toggled } from "./sections.js";

/** @param {...string} tags @returns {string[]} each section as its depth, label, own tags and count */
const outline = (...tags) =>
  flattened(sectionsOf(groupTags(tags))).map(
    ({ section, depth }) => `${depth} ${section.label}: ${section.tags.join(" ")} (${section.count})`,
  );

test("tags are grouped at every slash; a single tag stays in the section around it", () => {
  assert.deepEqual(outline("a/b/c/x", "a/b/c/y", "a/b/z", "a/d/x", "a/e", "lr"), [
    "0 a: a/d/x a/e (5)",
    "1 b: a/b/z (3)",
    "2 c: a/b/c/x a/b/c/y (2)",
    "0 : lr (1)",
  ]);
});

test("sections within sections end at dots, too", () => {
  const layers = [0, 1, 2].map((layer) => `train/layers.${layer}.norm`);
  assert.deepEqual(outline(...layers, "train/loss", "train/acc.top1"), [
    "0 train: train/acc.top1 train/loss (5)",
    `1 layers: ${layers.join(" ")} (3)`,
  ]);
});

test("sections without tags of their own share a header with their only section", () => {
  assert.deepEqual(outline("a/b/c/x", "a/b/c/y"), ["0 a/b/c: a/b/c/x a/b/c/y (2)"]);
  assert.deepEqual(outline("a/b/c/x", "a/b/c/y", "a/d"), ["0 a: a/d (3)", "1 b/c: a/b/c/x a/b/c/y (2)"]);
});

test("every tag is in exactly one section, in order, whatever its slashes and dots", () => {
  let state = 1;
  const random = (/** @type {number} */ below) => (state = (state * 48271) % 2147483647) % below;
  for (let round = 0; round < 200; round++) {
    const name = () => Array.from({ length: 1 + random(7) }, () => "abc/./"[random(6)]).join("");
    const tags = [...new Set(Array.from({ length: random(20) }, name))];
    const all = flattened(sectionsOf(groupTags(tags))).map(({ section }) => section);
    assert.deepEqual(all.flatMap((section) => section.tags).sort(), [...tags].sort());
    assert.equal(new Set(all.map((section) => section.name)).size, all.length);
    for (const section of all)
      for (const tag of section.name ? section.tags : []) assert.match(tag.slice(section.name.length), /^[/.]/);
  }
});

test("all sections are collapsed with one entry, and single ones opened again", () => {
  assert.ok(isClosed(ALL_CLOSED, "a") && isClosed(ALL_CLOSED, ""));
  const opened = openedUpTo(ALL_CLOSED, "a/b");
  assert.deepEqual(
    ["a", "a/b", "a/c", ""].map((name) => isClosed(opened, name)),
    [false, false, true, true],
  );
  assert.deepEqual(toggled(opened, "a"), ["/", "a/b"]);
  assert.deepEqual(openedUpTo(["a", "a/b", "c"], "a/b"), ["c"]);
});
