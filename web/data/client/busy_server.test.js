import assert from "node:assert/strict";
import { test } from "node:test";
import { whenAdmitted } from "./busy_server.js";

const { signal } = new AbortController();

/** Returns a function that fails with these errors, one after another, and then returns 7. @param {object[]} errors */
function failing(errors) {
  return async () => {
    const error = errors.shift();
    if (error) throw error;
    return 7;
  };
}

test("a refused request is sent again after as many seconds as the server says", async () => {
  /** @type {number[]} */
  const pauses = [];
  const send = failing([{ retryAfter: 2 }, { retryAfter: 5 }]);
  assert.equal(await whenAdmitted(send, signal, async (seconds) => void pauses.push(seconds)), 7);
  assert.deepEqual(pauses, [2, 5]);
});

test("other errors are not retried", async () => {
  await assert.rejects(whenAdmitted(failing([{ retryAfter: 0 }]), signal), { retryAfter: 0 });
});

test("a server that is always busy is an error in the end", async () => {
  const errors = Array.from({ length: 99 }, () => ({ retryAfter: 1 }));
  await assert.rejects(
    whenAdmitted(failing(errors), signal, async () => {}),
    { retryAfter: 1 },
  );
  assert.equal(errors.length, 89);
});

test("an aborted request is not sent again", async () => {
  const controller = new AbortController();
  const waiting = whenAdmitted(failing([{ retryAfter: 1000 }]), controller.signal);
  setTimeout(() => controller.abort());
  await assert.rejects(waiting, { name: "AbortError" });
});
