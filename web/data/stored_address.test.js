import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_VIEW } from "./address.js";
import { areAlike, differences, storedAddress, withStored } from "./stored_address.js";

test("a stored address has neither theme nor language nor the name of the view", () => {
  const view = /** @type {const} */ ({ ...DEFAULT_VIEW, theme: "dark", lang: "zh", saved: "mine", tags: "loss" });
  assert.equal(storedAddress(view), "tags=loss");
  assert.deepEqual(withStored(view, "tags=acc", "other"), { ...view, tags: "acc", saved: "other" });
});

test("addresses are alike however they are written", () => {
  assert.ok(areAlike("#page=scalars&tags=loss", "tags=loss&theme=dark"));
  assert.ok(!areAlike("tags=loss", "tags=los"));
});

test("differences name the parameters that differ", () => {
  assert.deepEqual(differences("tags=loss&smooth=0.5", "tags=loss&hide=a&hide=b"), [
    { name: "smooth", theirs: "0.5", mine: "" },
    { name: "hide", theirs: "", mine: "a, b" },
  ]);
});
