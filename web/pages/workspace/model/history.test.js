import assert from "node:assert/strict";
import { test } from "node:test";
import { edited, emptyHistory, redone, undone } from "./history.js";

/** A repeatable generator of whole numbers. @param {number} seed */
const random = (seed) => (/** @type {number} */ below) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

test("undo and redo follow a list of documents and a place in it", () => {
  for (let seed = 0; seed < 30; seed++) {
    const pick = random(seed);
    /** @type {import("./history.js").History<object>} */
    let history = emptyHistory();
    const documents = [{ number: 0 }];
    let at = 0;
    for (let step = 1; step < 60; step++) {
      const choice = pick(3);
      if (choice === 0) {
        const next = { number: step };
        history = edited(history, documents[at], next, "");
        documents.splice(++at, documents.length, next);
      } else if (choice === 1 && at > 0) {
        history = undone(history);
        at--;
      } else if (choice === 2 && at < documents.length - 1) {
        history = redone(history);
        at++;
      }
      if (history.present) assert.equal(history.present, documents[at]);
      assert.equal(history.past.length, history.present ? at : 0);
      assert.equal(history.future.length, history.present ? documents.length - 1 - at : 0);
    }
  }
});

test("edits of the same are undone together", () => {
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => ({ name }));
  let history = edited(emptyHistory(), a, b, "title");
  history = edited(history, b, c, "title");
  history = edited(history, c, d, "axis");
  assert.equal((history = undone(history)).present, c);
  assert.equal((history = undone(history)).present, a);
  assert.equal(undone(history), history);
});

test("the edits of a document that was replaced meanwhile cannot be undone", () => {
  const [a, b, other, next] = ["a", "b", "other", "next"].map((name) => ({ name }));
  const history = edited(edited(emptyHistory(), a, b, ""), other, next, "");
  assert.deepEqual(history.past, [other]);
});
