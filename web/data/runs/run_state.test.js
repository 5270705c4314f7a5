import assert from "node:assert/strict";
import { test } from "node:test";
import {
  commonCommandLine,
  endOf,
  errorLine,
  gravityOf,
  lastedOf,
  orderedRecordings,
  processesOf,
  sinceOf,
  stateOf,
  withStateNames,
} from "./run_state.js";

/** @param {Partial<import("../client/api_types.js").Recording>} facts @returns {import("../client/api_types.js").Recording} */
const recording = (facts) => ({
  rank: 0,
  attempt: 1,
  session: null,
  state: "finished",
  phase: null,
  started: 1,
  ended: null,
  error: null,
  host: null,
  process_id: null,
  command_line: null,
  ...facts,
});

test("failed is the gravest state; one that is not known counts as unknown", () => {
  const states = ["finished", "running", "unknown", "lost", "stalled", "failed", "interrupted"];
  assert.deepEqual(
    states.toSorted((a, b) => gravityOf(a) - gravityOf(b)),
    ["failed", "lost", "interrupted", "stalled", "running", "finished", "unknown"],
  );
  assert.equal(stateOf({ state: "paused" }), "unknown");
});

test("a running run is in its state since its start, any other since its end or last value", () => {
  const times = { started: 10, updated: 20, ended: null };
  assert.equal(sinceOf({ ...times, state: "running" }), 10);
  assert.equal(sinceOf({ ...times, state: "lost" }), 20);
  assert.equal(sinceOf({ ...times, state: "failed", ended: 25 }), 25);
});

test("a run lasted until its end mark, or until its last value: a copied file says nothing about its end", () => {
  const times = { started: 10, updated: 20, ended: 25 };
  assert.equal(lastedOf({ ...times, state: "finished" }), 15);
  assert.equal(lastedOf({ ...times, state: "failed", updated: 40 }), 30);
  assert.equal(lastedOf({ ...times, state: "failed", updated: null }), 15);
  assert.equal(lastedOf({ ...times, state: "lost" }), 10);
  assert.equal(lastedOf({ ...times, state: "unknown" }), 10);
  assert.equal(lastedOf({ ...times, state: "failed", started: null }), null);
  assert.equal(endOf({ state: "lost", ended: 25 }), 25);
  assert.equal(endOf({ state: "unknown", ended: 25 }), null);
});

test("an error in one line is its type and the first line of its text", () => {
  assert.equal(errorLine({ type: "ValueError", text: "bad shape\nhint", traceback: "" }), "ValueError: bad shape");
  assert.equal(errorLine({ type: "KeyboardInterrupt", text: "", traceback: "" }), "KeyboardInterrupt");
  assert.equal(errorLine({ type: "", text: "SIGTERM", traceback: "" }), "SIGTERM");
});

test("a filter of states can be typed in the language of the page", () => {
  const words = { failed: "失败", lost: "失联" };
  const wordOf = (/** @type {string} */ state) => /** @type {Record<string, string>} */ (words)[state] ?? state;
  assert.equal(withStateNames("失败 or 失联", wordOf), "failed or lost");
  assert.equal(withStateNames("!=failed", wordOf), "!=failed");
});

test("recordings are ordered by age, then by gravity, then by rank", () => {
  const recordings = [
    recording({ rank: 0, session: "first", state: "failed", started: 1 }),
    recording({ rank: 0, session: "second", state: "finished", started: 9 }),
    recording({ rank: 2, session: "second", state: "lost", started: 9 }),
    recording({ rank: 1, session: "second", state: "finished", started: 9 }),
  ];
  assert.deepEqual(
    orderedRecordings(recordings).map(({ rank, session }) => [rank, session]),
    [
      [2, "second"],
      [0, "second"],
      [1, "second"],
      [0, "first"],
    ],
  );
});

test("recordings of one process are listed once, unless one of them ended differently", () => {
  const [first, second] = [
    recording({ host: "a", process_id: 7, session: "1" }),
    recording({ host: "a", process_id: 7, session: "2" }),
  ];
  assert.deepEqual(processesOf([first, second]), [second]);
  const failed = recording({ host: "a", process_id: 7, state: "failed" });
  const others = [recording({ host: "b", process_id: 7 }), recording({ rank: 1, host: "a", process_id: 7 })];
  assert.deepEqual(processesOf([first, failed, ...others]), [first, failed, ...others]);
  const unknown = recording({ host: null, process_id: null });
  assert.equal(processesOf([unknown, recording({ ...unknown })]).length, 2);
});

test("a command line is common only if every recording has it", () => {
  assert.equal(commonCommandLine([recording({ command_line: "a" }), recording({ command_line: "a" })]), "a");
  assert.equal(commonCommandLine([recording({ command_line: "a" }), recording({ command_line: "b" })]), null);
  assert.equal(commonCommandLine([]), null);
});
