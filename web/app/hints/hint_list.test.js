import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "../words.js";
import { HINTS, nextHint, parseDismissed } from "./hint_list.js";

test("ten tips, each with a text", () => {
  assert.equal(HINTS.length, 10);
  for (const { name } of HINTS) assert.ok(Object.hasOwn(en, `hint.${name}`), name);
});

test("a page shows its own tips first, each until it is dismissed", () => {
  const dismissed = new Set();
  const shown = [];
  for (let hint = nextHint("lineage", dismissed); hint; hint = nextHint("lineage", dismissed)) {
    shown.push(hint.name);
    dismissed.add(hint.name);
  }
  assert.deepEqual(shown, ["sort", "brush", "views", "link", "keys"]);
});

test("no tips after they were turned off", () => {
  assert.equal(nextHint("scalars", new Set(["off"])), null);
});

test("damaged storage dismisses nothing", () => {
  assert.deepEqual([...parseDismissed("{")], []);
  assert.deepEqual([...parseDismissed('{"a":1}')], []);
  assert.deepEqual([...parseDismissed('["zoom"]')], ["zoom"]);
});
