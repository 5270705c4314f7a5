import assert from "node:assert/strict";
import { test } from "node:test";
import { replaced } from "./completion.js";

test("an option replaces the unfinished end, and a complete term is followed by a space", () => {
  const label = { text: 'label:"for later"', kind: /** @type {const} */ ("label"), runs: 1 };
  assert.deepEqual(replaced("lr<1 la", 5, 7, label), { text: 'lr<1 label:"for later" ', cursor: 23 });
  assert.deepEqual(replaced("la lr<1", 0, 2, label), { text: 'label:"for later" lr<1', cursor: 17 });
  const field = { text: "state:", kind: /** @type {const} */ ("field"), runs: null };
  assert.deepEqual(replaced("-sta", 1, 4, field), { text: "-state:", cursor: 7 });
});
