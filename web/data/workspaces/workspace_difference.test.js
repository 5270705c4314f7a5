import assert from "node:assert/strict";
import { test } from "node:test";
import { workspaceDifferences } from "./workspace_difference.js";

const panel = (/** @type {object} */ settings, x = 0) => ({
  kind: "lines",
  x,
  y: 0,
  w: 4,
  h: 3,
  settings: /** @type {any} */ (settings),
});
const document = (/** @type {any[]} */ panels, settings = {}) =>
  /** @type {import("./workspace_check.js").WorkspaceDocument} */ ({
    version: 1,
    settings,
    sections: [{ name: "A", collapsed: false, settings: {}, panels }],
  });

test("equal workspaces have no differences", () => {
  const one = document([panel({ tags: ["a"] }), panel({ tags: ["a"] })]);
  assert.deepEqual(workspaceDifferences(one, structuredClone(one)), []);
});

test("changed, added and removed panels and settings are named", () => {
  const theirs = document([panel({ tags: ["a"] }), panel({ tags: ["gone"] })]);
  const mine = document([panel({ tags: ["a"] }, 4), panel({ title: "New" })], { smooth: "ema:0.6" });
  const found = workspaceDifferences(theirs, mine);
  assert.deepEqual(
    found.map(({ name, theirs, mine }) => [name, Boolean(theirs), Boolean(mine)]),
    [
      ["", true, true],
      ["A › lines a", true, true],
      ["A › lines gone", true, false],
      ["A › lines New", false, true],
    ],
  );
});
