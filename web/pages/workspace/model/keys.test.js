import assert from "node:assert/strict";
import { test } from "node:test";
import { Keys } from "./keys.js";

test("an element keeps its key when others are added, removed and moved", () => {
  const keys = new Keys();
  const [a, b, c, d] = [{}, {}, {}, {}];
  const [ofA, ofB, ofC] = keys.of([a, b, c]);
  assert.equal(new Set([ofA, ofB, ofC]).size, 3);
  assert.deepEqual(keys.of([a, c]), [ofA, ofC]);
  const [first, ofD, third] = keys.of([c, d, a]);
  assert.deepEqual([first, third], [ofC, ofA]);
  assert.ok(![ofA, ofC].includes(ofD));
});

test("a changed element keeps the key of the one it replaces, and so does the one that returns", () => {
  const keys = new Keys();
  const [a, b] = [{ title: 1 }, { title: 2 }];
  const before = keys.of([a, b]);
  const changed = { title: 3 };
  assert.deepEqual(keys.of([changed, b]), before);
  assert.deepEqual(keys.of([a, b]), before);
});
