import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals-core";
import { RequestError } from "../client/client.js";
import { runsReply } from "./catalogue.js";
import { RunCache } from "./run_cache.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** @param {Record<string, number>} lastSteps */
function listRuns(lastSteps) {
  const runs = Object.entries(lastSteps).map(([run, last_step]) => ({ run, last_step, plugins: {} }));
  runsReply.value = /** @type {any} */ ({ runs, byName: new Map(runs.map((row) => [row.run, row])) });
}

test("runs are fetched in pieces, the first one short, and only changed runs again", async () => {
  const names = Array.from({ length: 450 }, (_, index) => `run${index}`);
  listRuns(Object.fromEntries(names.map((run) => [run, 1])));
  /** @type {string[][]} */
  const pieces = [];
  const cache = new RunCache(async (runs) => {
    pieces.push(runs);
    return runs.map((run) => ({ run }));
  }, 200);
  const stop = cache.follow(() => ({ runs: names, query: null }));
  for (let wait = 0; !cache.isComplete.value && wait < 20; wait++) await turn();
  assert.deepEqual(
    pieces.map(({ length }) => length),
    [100, 200, 150],
  );
  assert.equal(cache.rows.value.size, 450);

  listRuns(Object.fromEntries(names.slice(1).map((run, index) => [run, index === 7 ? 2 : 1])));
  await turn();
  assert.deepEqual(pieces[3], ["run8"]);
  assert.ok(!cache.rows.value.has("run0"));
  stop();
});

test("rows of other parameters stay until the new ones arrive", async () => {
  listRuns({ a: 1 });
  const parameters = signal("loss");
  const cache = new RunCache(async (runs, _signal, /** @type {string} */ tag) => runs.map((run) => ({ run, tag })), 10);
  const stop = cache.follow(() => ({ runs: ["a"], query: parameters.value }));
  await turn();
  parameters.value = "accuracy";
  assert.equal(cache.rows.value.get("a")?.tag, "loss");
  await turn();
  assert.equal(cache.rows.value.get("a")?.tag, "accuracy");
  stop();
});

test("an error is shown and tried again with the next change; a deleted run is no error", async () => {
  listRuns({ a: 1 });
  /** @type {Error | null} */
  let error = new Error("refused");
  const cache = new RunCache(async (runs) => {
    if (error) throw error;
    return runs.map((run) => ({ run }));
  }, 10);
  const stop = cache.follow(() => ({ runs: ["a"], query: null }));
  await turn();
  assert.equal(cache.error.value?.message, "refused");

  error = new RequestError(404, "no such run");
  listRuns({ a: 2 });
  await turn();
  assert.equal(cache.error.value, null);

  error = null;
  listRuns({ a: 3 });
  await turn();
  assert.ok(cache.rows.value.has("a"));
  stop();
});
