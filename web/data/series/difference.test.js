import assert from "node:assert/strict";
import { test } from "node:test";
import { commonEnds, differenceOf, sharedLines, splitIdentity, splitLines } from "./difference.js";

test("rows that differ are separated from equal ones, and values that are not the majority's are marked", () => {
  const { different, equal } = differenceOf([
    { lr: 0.1, optimizer: "sgd", seed: 1 },
    { lr: 0.1, optimizer: "sgd" },
    { lr: 0.2, optimizer: "sgd", seed: 2 },
  ]);
  assert.deepEqual(
    equal.map(({ name }) => name),
    ["optimizer"],
  );
  assert.deepEqual(
    different.map(({ name }) => name),
    ["lr", "seed"],
  );
  assert.deepEqual(different[0].odd, [false, false, true]);
  assert.deepEqual(different[1].odd, [true, true, true]);
  assert.deepEqual(different[1].values, [1, undefined, 2]);
});

test("the name and the identifier of a run are no parameters that could be equal", () => {
  const { identity, others } = splitIdentity({ lr: 0.1, "wandb/id": "a1", "wandb/name": "first", "wandb/group": "g" });
  assert.deepEqual(identity, { "wandb/id": "a1", "wandb/name": "first" });
  assert.deepEqual(others, { lr: 0.1, "wandb/group": "g" });
});

test("a number and its text differ", () => {
  assert.equal(differenceOf([{ a: 1 }, { a: "1" }]).different.length, 1);
});

test("common ends are equal in all texts, and never overlap or split a word", () => {
  const word = () => ["ab", "a", "abc"][Math.floor(Math.random() * 3)];
  for (let round = 0; round < 2000; round++) {
    const texts = Array.from({ length: 3 }, () => Array.from({ length: 1 + Math.random() * 4 }, word).join("/"));
    const { head, tail } = commonEnds(texts);
    assert.equal(new Set(texts.map((text) => text.slice(0, head))).size, 1);
    assert.equal(new Set(texts.map((text) => text.slice(text.length - tail))).size, 1);
    assert.ok(texts.every((text) => head + tail <= text.length));
    assert.ok(head === 0 || texts[0][head - 1] === "/");
    assert.ok(tail === 0 || texts[0][texts[0].length - tail] === "/");
  }
});

test("JSON is split into indented lines, a command line at its options", () => {
  assert.deepEqual(splitLines('{"a": [1]}'), ["{", '  "a": [', "    1", "  ]", "}"]);
  assert.deepEqual(splitLines("{cut off"), ["{cut off"]);
  assert.deepEqual(splitLines("python train.py --lr 0.1 -v"), ["python train.py", "--lr 0.1", "-v"]);
});

test("shared lines are those of all texts", () => {
  assert.deepEqual(
    [
      ...sharedLines([
        ["a", "b"],
        ["b", "c"],
        ["b", "a"],
      ]),
    ],
    ["b"],
  );
  assert.deepEqual([...sharedLines([])], []);
});
