import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryMap } from "./query_map.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a key is fetched when it is new or its stamp has changed, and forgotten when it is not followed", async () => {
  /** @type {string[]} */
  const fetched = [];
  const map = new QueryMap(async (key) => {
    fetched.push(key);
    return `${key}${fetched.length}`;
  });
  map.follow(
    new Map([
      ["a", "1"],
      ["b", "1"],
    ]),
  );
  await turn();
  map.follow(
    new Map([
      ["b", "2"],
      ["c", "1"],
    ]),
  );
  assert.deepEqual([...map.values.value], [["b", "b2"]]);
  await turn();
  assert.deepEqual(fetched, ["a", "b", "b", "c"]);
  assert.deepEqual(
    [...map.values.value],
    [
      ["b", "b3"],
      ["c", "c4"],
    ],
  );
});

test("an error belongs to its key, and invalidate tries again", async () => {
  let isRefused = true;
  const map = new QueryMap(async (key) => {
    if (isRefused && key === "b") throw new Error("refused");
    return key;
  });
  map.follow(
    new Map([
      ["a", ""],
      ["b", ""],
    ]),
  );
  await turn();
  assert.equal(map.error.value?.message, "refused");
  assert.deepEqual([...map.values.value.keys()], ["a"]);

  isRefused = false;
  map.invalidate();
  await turn();
  assert.equal(map.error.value, null);
  assert.deepEqual([...map.values.value.keys()], ["a", "b"]);
});
