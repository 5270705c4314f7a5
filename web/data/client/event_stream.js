// The server's event stream: announces changes, and shows whether the server is reachable.

/** @typedef {import("./api_types.js").UpdateEvent} UpdateEvent */

/** @typedef {object} UpdateListener
 * @property {() => void} opened the stream is open; changes before were not announced
 * @property {(update: UpdateEvent) => void} updated
 * @property {() => void} lost the connection is lost; it will be retried
 */

const FIRST_RETRY = 500;
const LAST_RETRY = 4000;

/** Follows the stream until the returned function is called.
 * @param {UpdateListener} listener */
export function followUpdates(listener) {
  let retry = FIRST_RETRY;
  let timer = 0;
  /** @type {EventSource | null} */
  let stream = null;
  const open = () => {
    stream = new EventSource("./api/updates");
    stream.onopen = () => {
      retry = FIRST_RETRY;
      listener.opened();
    };
    stream.onmessage = ({ data }) => listener.updated(JSON.parse(data));
    stream.onerror = () => {
      // Chromium retries only after three seconds, and never after some replies.
      stream?.close();
      listener.lost();
      timer = window.setTimeout(open, retry);
      retry = Math.min(retry * 2, LAST_RETRY);
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    stream?.close();
  };
}
