import assert from "node:assert/strict";
import { test } from "node:test";
import { editedNotes, requestsOf, revertingEdits } from "./note_edits.js";

/** @type {import("./notes_client.js").Note} */
const NONE = { alias: null, note: "", labels: [], colour: null, hidden: false, archived: false };
const notes = new Map([
  ["a", { ...NONE, labels: ["x"] }],
  ["b", { ...NONE, labels: ["x", "old"], archived: true }],
]);

test("labels are added and removed, fields are replaced, other runs stay", () => {
  const edits = [{ runs: ["b", "c"], change: { archived: false, add_labels: ["x", "y"], remove_labels: ["old"] } }];
  const edited = editedNotes(notes, edits, NONE);
  assert.equal(edited.get("a"), notes.get("a"));
  assert.deepEqual(edited.get("b"), { ...NONE, labels: ["x", "y"] });
  assert.deepEqual(edited.get("c"), { ...NONE, labels: ["x", "y"] });
});

test("reverting an edit restores what it changed, runs with equal notes together", () => {
  const edits = [{ runs: ["a", "b", "c", "d"], change: { archived: true, remove_labels: ["x"] } }];
  const reverting = revertingEdits(notes, edits, NONE);
  assert.deepEqual(
    reverting.map(({ runs }) => runs),
    [["a"], ["b"], ["c", "d"]],
  );
  const restored = editedNotes(editedNotes(notes, edits, NONE), reverting, NONE);
  assert.deepEqual([...restored], [...notes, ["c", NONE], ["d", NONE]]);
});

test("requests have at most 10,000 runs and 1,000 changes", () => {
  const names = Array.from({ length: 12_000 }, (_, at) => `run ${at}`);
  const requests = requestsOf([
    { runs: names, change: { archived: true } },
    ...Array.from({ length: 1500 }, (_, at) => ({ runs: [`${at}`], change: { alias: null } })),
  ]);
  for (const request of requests) {
    assert.ok(request.length <= 1000);
    assert.ok(request.flatMap(({ runs }) => runs).length <= 10_000);
  }
  assert.deepEqual(
    requests.flat().flatMap(({ runs }) => runs),
    [...names, ...Array.from({ length: 1500 }, (_, at) => `${at}`)],
  );
});
