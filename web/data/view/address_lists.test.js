import assert from "node:assert/strict";
import { test } from "node:test";
import { parseList, parsePairs, parseTriples, printList, printPairs } from "./address_lists.js";

const sign = () => "ab,\\"[Math.floor(Math.random() * 4)];
const text = () => Array.from({ length: Math.random() * 5 }, sign).join("");

test("a list is restored from its text, except a list of one empty text", () => {
  for (let round = 0; round < 5000; round++) {
    const parts = Array.from({ length: Math.random() * 5 }, text);
    if (parts.length !== 1 || parts[0]) assert.deepEqual(parseList(printList(parts)), parts);
  }
});

test("pairs are restored from their text", () => {
  const pairs = new Map([
    ["a,b", "1\\"],
    ["", ","],
  ]);
  assert.deepEqual(parsePairs(printPairs(pairs)), pairs);
});

test("incomplete pairs and triples at the end are dropped", () => {
  assert.deepEqual([...parsePairs("a,1,b")], [["a", "1"]]);
  assert.deepEqual(parseTriples("a,b,c,d,e"), [["a", "b", "c"]]);
  assert.deepEqual(parseTriples(""), []);
});
