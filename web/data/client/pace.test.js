import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { PacedChanges } from "./pace.js";

/** @param {(changes: PacedChanges, published: string[][], wait: (ms: number) => void) => void} body */
function withClock(body) {
  mock.timers.enable({ apis: ["setTimeout"] });
  let time = 0;
  /** @type {string[][]} */
  const published = [];
  const changes = new PacedChanges(
    (runs) => published.push(runs),
    () => time,
  );
  body(changes, published, (ms) => {
    time += ms;
    mock.timers.tick(ms);
  });
  mock.timers.reset();
}

test("the first change after a pause is published at once, the next ones together", () =>
  withClock((changes, published, wait) => {
    changes.add(["a"]);
    assert.deepEqual(published, [["a"]]);
    wait(100);
    changes.add(["b"]);
    changes.add(["c", "b"]);
    assert.equal(published.length, 1);
    wait(400);
    assert.deepEqual(published, [["a"], ["b", "c"]]);
    wait(500);
    changes.add(["a"]);
    assert.deepEqual(published.at(-1), ["a"]);
    assert.equal(published.length, 3);
  }));

test("forty changes a second are published twice a second, and none is lost", () =>
  withClock((changes, published, wait) => {
    for (let n = 0; n < 400; n++) {
      changes.add([`run${n}`]);
      wait(25);
    }
    wait(500);
    assert.ok(published.length <= 22, String(published.length));
    assert.equal(new Set(published.flat()).size, 400);
  }));
