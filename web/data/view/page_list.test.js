import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, PAGES } from "./page_list.js";

test("each page has a letter of its own", () => {
  const letters = PAGES.map((name) => factsOf(name).letter);
  assert.equal(new Set(letters).size, letters.length);
});
