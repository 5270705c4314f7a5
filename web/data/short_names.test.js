import assert from "node:assert/strict";
import { test } from "node:test";
import { cutMiddle, headAndTail, sharedParts, withoutShared } from "./short_names.js";

/** @param {string[]} names */
const short = (names) => names.map((name) => withoutShared(name, sharedParts(names)));

test("names lose the words that all of them begin and end with", () => {
  assert.deepEqual(short(["digits-lr=0.1-batch=16-seed=0", "digits-lr=0.3-batch=32-seed=0"]), [
    "lr=0.1-batch=16",
    "lr=0.3-batch=32",
  ]);
  assert.deepEqual(short(["runs/a/train", "runs/a/validation"]), ["train", "validation"]);
  assert.deepEqual(short(["runs/a/train", "runs/b/train"]), ["a", "b"]);
});

test("numbers and values stay whole, with their minus and exponent", () => {
  assert.deepEqual(short(["lr=1e-3", "lr=1e-4"]), ["lr=1e-3", "lr=1e-4"]);
  assert.deepEqual(short(["lr=-3", "lr=-4"]), ["lr=-3", "lr=-4"]);
  assert.deepEqual(short(["lr=0.001", "lr=0.002"]), ["lr=0.001", "lr=0.002"]);
});

test("no name becomes empty, and a name without the shared words stays as it is", () => {
  assert.deepEqual(short(["run", "run-2"]), ["run", "run-2"]);
  assert.deepEqual(short(["a-b", "a-b"]), ["b", "b"]);
  assert.deepEqual(short(["only-one"]), ["only-one"]);
  assert.deepEqual(short([]), []);
  assert.equal(withoutShared("other", { start: "digits-", end: "" }), "other");
});

test("short names of different runs are different", () => {
  const word = () => ["a", "b", "lr=1", "-", "_", "/", "seed"][Math.floor(Math.random() * 7)];
  for (let round = 0; round < 2000; round++) {
    const names = [...new Set(Array.from({ length: 5 }, () => Array.from({ length: 5 }, word).join("")))];
    assert.equal(new Set(short(names)).size, names.length, names.join(" "));
    assert.ok(short(names).every(Boolean), names.join(" "));
  }
});

test("the tail of a long name is its last word, if that is short", () => {
  assert.deepEqual(headAndTail("lr=0.001-batch=16"), ["lr=0.001", "-batch=16"]);
  assert.deepEqual(headAndTail("averylongnamewithoutwords"), ["averylongnamewithou", "twords"]);
  assert.deepEqual(headAndTail("short"), ["short", ""]);
});

test("a name is cut in the middle to a number of characters", () => {
  assert.equal(cutMiddle("abcdefghij", 10), "abcdefghij");
  assert.equal(cutMiddle("abcdefghij", 6), "abc…ij");
  assert.equal([...cutMiddle("训练运行名称很长很长", 7)].length, 7);
});
