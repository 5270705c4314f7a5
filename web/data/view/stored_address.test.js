import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_VIEW } from "./address.js";
import { areAlike, contentOf, differences, withContent } from "./stored_address.js";

test("what is stored has neither theme nor language nor the name of the view", () => {
  const view = /** @type {const} */ ({ ...DEFAULT_VIEW, theme: "dark", lang: "zh", saved: "mine", tags: "loss" });
  assert.deepEqual(contentOf(view), { page: "scalars", address: "tags=loss", workspace: null });
  assert.deepEqual(withContent(view, { address: "tags=acc", workspace: null }, "other"), {
    ...view,
    tags: "acc",
    saved: "other",
  });
});

test("a workspace is stored apart from the address, and returns into it", () => {
  const workspace = { version: 1, sections: [], settings: {} };
  const view = { ...DEFAULT_VIEW, own: { "ws.doc": JSON.stringify(workspace), "ws.other": "1" } };
  const content = contentOf(view);
  assert.deepEqual(content, { page: "scalars", address: "ws.other=1", workspace });
  assert.deepEqual(contentOf(withContent(DEFAULT_VIEW, content, "")), content);
});

test("a damaged workspace stays in the address", () => {
  assert.equal(contentOf({ ...DEFAULT_VIEW, own: { "ws.doc": "{" } }).address, "ws.doc=%7B");
});

test("states are alike however they are written", () => {
  const content = (/** @type {string} */ address, /** @type {object | null} */ workspace = null) => ({
    address,
    workspace,
  });
  assert.ok(areAlike(content("#page=scalars&tags=loss"), content("tags=loss&theme=dark")));
  assert.ok(!areAlike(content("tags=loss"), content("tags=los")));
  assert.ok(!areAlike(content("tags=loss", { version: 1 }), content("tags=loss")));
});

test("differences name the parameters that differ", () => {
  assert.deepEqual(differences("tags=loss&smooth=0.5", "#tags=loss&hide=a&hide=b"), [
    { name: "smooth", theirs: "0.5", mine: "" },
    { name: "hide", theirs: "", mine: "a, b" },
  ]);
});
