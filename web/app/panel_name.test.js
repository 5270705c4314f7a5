import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePanel, printPanel } from "./panel_name.js";

test("every panel is found again by its name, and any other name means no panel", () => {
  for (const panel of /** @type {const} */ ([null, { kind: "keys" }, { kind: "run", run: "a/run:b" }]))
    assert.deepEqual(parsePanel(printPanel(panel)), panel);
  for (const name of ["", "run:", "other"]) assert.equal(parsePanel(name), null);
});
