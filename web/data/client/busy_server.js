// Requests that the server refuses because it computes others: they are sent again when it says.

const MAX_TRIES = 10;

/** Returns the reply, however often the server says "try again after so many seconds".
 * @template Reply
 * @param {() => Promise<Reply>} send
 * @param {AbortSignal} signal ends the waiting
 * @param {(seconds: number, signal: AbortSignal) => Promise<void>} [pause]
 * @returns {Promise<Reply>} */
export async function whenAdmitted(send, signal, pause = wait) {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      const { retryAfter = 0 } = /** @type {{retryAfter?: number}} */ (error);
      if (!retryAfter || tries === MAX_TRIES) throw error;
      await pause(retryAfter, signal);
    }
  }
}

/** @param {number} seconds @param {AbortSignal} signal @returns {Promise<void>} */
function wait(seconds, signal) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const timer = setTimeout(resolve, seconds * 1000);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(signal.reason);
  });
  return promise;
}
