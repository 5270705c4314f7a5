// The server's event stream: what changed, and whether the server is there at all.

/** @typedef {import("./replies.js").UpdateEvent} UpdateEvent */

/** @typedef {object} UpdateListener
 * @property {() => void} opened the stream stands; changes before this moment were not told
 * @property {(update: UpdateEvent) => void} updated
 * @property {() => void} lost the server is gone; another attempt follows
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
      // Chromium waits three seconds and gives up on some answers; we neither wait so long nor give up.
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
