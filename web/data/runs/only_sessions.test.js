import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutOnlySessions } from "./only_sessions.js";

/** @param {string} run @param {string | null} parent */
const row = (run, parent) => ({ run, parent });

test("the only session of a run is part of it", () => {
  assert.deepEqual(withoutOnlySessions([row("gan", null), row("gan/17", "gan")]), [row("gan", null)]);
});

test("several sessions of a run are trials", () => {
  const rows = [row("sweep", null), row("sweep/0", "sweep"), row("sweep/1", "sweep")];
  assert.deepEqual(withoutOnlySessions(rows), rows);
});

test("runs without sessions are the same list", () => {
  const rows = [row("a", null), row("b", null)];
  assert.equal(withoutOnlySessions(rows), rows);
});
