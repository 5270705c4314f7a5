import assert from "node:assert/strict";
import { test } from "node:test";
import { FACTS, RunFacts } from "./run_facts.js";

/** A reply as the server sends it. @param {Record<string, [started: number, step: number]>} runs
 * @param {number | null} [since] */
function replyOf(runs, since = null) {
  const names = Object.keys(runs);
  const constant = (/** @type {unknown} */ value) => ({ code: names.map(() => 0), value: [value] });
  const numbers = (/** @type {number} */ at) => ({ row: null, number: names.map((run) => runs[run][at]) });
  const fact = Object.fromEntries(FACTS.map((name) => [name, constant(null)]));
  return /** @type {any} */ ({
    since,
    runs: names.join("\0"),
    fact: {
      ...fact,
      started: numbers(0),
      last_step: numbers(1),
      updated: { row: names.length ? [0] : [], number: names.length ? [7] : [] },
      first_step: numbers(1),
      colour: numbers(1),
      ended: { row: [], number: [] },
      plugins: constant({ scalar: 1 }),
    },
  });
}

/** @param {import("./run_facts.js").AllRuns} all */
const shown = ({ runs }) => runs.map((row) => `${row.run}:${row.last_step}`).join(" ");

test("the first reply has all runs, and values that some do not have", () => {
  const all = new RunFacts().receive(replyOf({ a: [1, 5], b: [2, 6] }));
  assert.equal(shown(all), "a:5 b:6");
  assert.deepEqual(
    all.runs.map(({ updated, ended, parent }) => [updated, ended, parent]),
    [
      [7, null, null],
      [null, null, null],
    ],
  );
  assert.equal(all.byName.get("b"), all.runs[1]);
});

test("later replies replace, insert and move runs, and leave the rows of others", () => {
  const facts = new RunFacts();
  const before = facts.receive(replyOf({ a: [1, 5], b: [2, 6], c: [4, 7] }));
  const [rowOfA] = before.runs;
  const after = facts.receive(replyOf({ b: [2, 8] }, 1));
  assert.equal(shown(after), "a:5 b:8 c:7");
  assert.equal(after.runs[0], rowOfA);
  assert.notEqual(after.byName, before.byName);
  assert.equal(shown(facts.receive(replyOf({ c: [0, 7], d: [1, 1], z: [9, 2] }, 2))), "c:7 a:5 d:1 b:8 z:2");
  assert.equal(shown(facts.receive(replyOf({ b: [2, 8] }))), "b:8");
});

test("a reply without runs changes nothing", () => {
  const facts = new RunFacts();
  const all = facts.receive(replyOf({ a: [1, 5] }));
  assert.ok(facts.hasOtherSeries);
  assert.equal(facts.receive(replyOf({}, 1)), all);
  assert.ok(!facts.hasOtherSeries);
});
