import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals-core";
import { Query } from "./query.js";
import { RequestQueue } from "./requests.js";

/** A server whose replies the test sends. */
function scriptedServer() {
  /** @type {Array<{key: string, signal: AbortSignal, reply: (value: string) => void, fail: (error: Error) => void}>} */
  const requests = [];
  /** @type {(key: string, signal: AbortSignal) => Promise<string>} */
  const fetch = (key, signal) =>
    new Promise((resolve, reject) => {
      requests.push({ key, signal, reply: resolve, fail: reject });
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  return { requests, fetch };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a query fetches only while it is observed", async () => {
  const { requests, fetch } = scriptedServer();
  const query = new Query(fetch);
  query.select("a");
  await turn();
  assert.equal(requests.length, 0);

  query.observe();
  await turn();
  requests[0].reply("first");
  await turn();
  assert.equal(query.value.value, "first");
  assert.equal(requests.length, 1);
});

test("another stamp of the same key is fetched once the request under way has ended", async () => {
  const { requests, fetch } = scriptedServer();
  const query = new Query(fetch);
  query.select("a", "1");
  query.observe();
  await turn();
  query.select("a", "2");
  query.select("a", "3");
  assert.equal(requests.length, 1);
  assert.ok(!requests[0].signal.aborted);

  requests[0].reply("of 1");
  await turn();
  assert.equal(query.value.value, "of 1");
  assert.equal(requests.length, 2);
  requests[1].reply("of 3");
  await turn();
  assert.equal(query.value.value, "of 3");
  assert.equal(requests.length, 2);
});

test("another key aborts the request under way, and the value stays until the next one arrives", async () => {
  const { requests, fetch } = scriptedServer();
  const query = new Query(fetch);
  query.select("a");
  query.observe();
  await turn();
  requests[0].reply("of a");
  await turn();
  query.select("b");
  await turn();
  query.select("c");
  await turn();
  assert.ok(requests[1].signal.aborted);
  assert.equal(query.value.value, "of a");

  requests[2].reply("of c");
  await turn();
  assert.equal(query.value.value, "of c");
});

test("an error is kept until the data changes or the query is invalidated", async () => {
  const { requests, fetch } = scriptedServer();
  const query = new Query(fetch);
  query.select("a", "1");
  query.observe();
  await turn();
  requests[0].fail(new Error("refused"));
  await turn();
  query.select("a", "1");
  await turn();
  assert.equal(query.error.value?.message, "refused");
  assert.equal(requests.length, 1);

  query.invalidate();
  await turn();
  requests[1].fail(new Error("refused again"));
  await turn();
  query.select("a", "2");
  await turn();
  requests[2].reply("of 2");
  await turn();
  assert.equal(query.error.value, null);
  assert.equal(query.value.value, "of 2");
});

test("the last observer to leave aborts the request, and the next one fetches again", async () => {
  const { requests, fetch } = scriptedServer();
  const query = new Query(fetch);
  query.select("a");
  const [stop, stopOther] = [query.observe(), query.observe()];
  await turn();
  stop();
  assert.ok(!requests[0].signal.aborted);
  stopOther();
  assert.ok(requests[0].signal.aborted);
  await turn();
  assert.equal(query.error.value, null);

  query.observe();
  await turn();
  assert.equal(requests.length, 2);
});

test("observe follows the signals that its function reads, until it is stopped", async () => {
  const { requests, fetch } = scriptedServer();
  const query = new Query(fetch);
  const selected = signal("a");
  const stop = query.observe(() => query.select(selected.value));
  await turn();
  selected.value = "b";
  await turn();
  stop();
  selected.value = "c";
  await turn();
  assert.deepEqual(
    requests.map(({ key }) => key),
    ["a", "b"],
  );
});

test("requests for one key start at least an interval apart", async () => {
  /** @type {number[]} */
  const starts = [];
  const query = new Query(async () => void starts.push(performance.now()), { interval: 30 });
  query.select("a");
  const stop = query.observe();
  for (let round = 0; round < 40; round++) {
    query.invalidate();
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  stop();
  assert.ok(starts.length >= 2);
  // A timer counts whole milliseconds, and may fire one early.
  for (let i = 1; i < starts.length; i++) assert.ok(starts[i] - starts[i - 1] >= 28, `${starts}`);
});

test("queries of one queue start in order, and never more than its limit at a time", async () => {
  const { requests, fetch } = scriptedServer();
  const queue = new RequestQueue(2);
  const queries = ["a", "b", "c", "d"].map((key) => {
    const query = new Query(fetch, { queue });
    query.select(key);
    return { query, stop: query.observe() };
  });
  await turn();
  assert.deepEqual(
    requests.map(({ key }) => key),
    ["a", "b"],
  );

  queries[2].stop(); // Waiting: it never starts.
  queries[0].stop(); // Under way: its place is free again.
  await turn();
  assert.deepEqual(
    requests.map(({ key }) => key),
    ["a", "b", "d"],
  );
});

test("whatever happens on the way, an observed query ends with the newest version of its key", async () => {
  for (let round = 0; round < 200; round++) {
    let version = 0;
    let key = "a";
    const query = new Query(
      async (fetchedKey, signal) => {
        const read = `${fetchedKey} ${version}`;
        for (let wait = Math.floor(Math.random() * 3); wait > 0; wait--) await turn();
        signal.throwIfAborted();
        if (Math.random() < 0.2) throw new Error("refused");
        return read;
      },
      { queue: new RequestQueue(1) },
    );
    /** @type {Array<() => void>} */
    const stops = [];
    for (let step = 0; step < 12; step++) {
      const choice = Math.floor(Math.random() * 5);
      if (choice === 0) query.select((key = "abc"[Math.floor(Math.random() * 3)]), String(version));
      if (choice === 1) query.select(key, String(++version));
      if (choice === 2) stops.push(query.observe());
      if (choice === 3) stops.pop()?.();
      if (choice === 4) await turn();
    }
    query.select(key, String(++version));
    query.observe();
    for (let wait = 0; wait < 12; wait++) {
      await turn();
      if (query.error.value) query.invalidate();
    }
    for (let wait = 0; query.value.value !== `${key} ${version}` && wait < 200; wait++) {
      await turn();
      if (query.error.value) query.invalidate();
    }
    assert.equal(query.value.value, `${key} ${version}`);
  }
});
