// Keeps the page up to date: follows the server's events, and marks what they make stale.

import { effect, signal } from "@preact/signals-core";
import { followUpdates } from "./client/event_stream.js";
import { PacedChanges } from "./client/pace.js";
import { followHealth } from "./health.js";
import { alertsChanged } from "./notes/alerts.js";
import { listError, runList, runsReply } from "./runs/catalogue.js";
import { markChanged } from "./runs/run_versions.js";
import { followsServer } from "./snapshot/state.js";
import { viewsChanged } from "./view/saved_views.js";

/** Is the event stream open? A snapshot has none.
 * @type {import("@preact/signals-core").Signal<"connecting" | "live" | "lost" | "snapshot">} */
export const connection = signal("connecting");
/** The revision of the last event. */
export const revision = signal(0);

/** Milliseconds between two lists while no event announces a change: the server is loading, or waits for its logdir. */
const POLL_INTERVAL = 1000;

const paced = new PacedChanges((runs) => {
  if (runs.length) markChanged(runs); // A new state changes only the list.
  runList.invalidate();
});

const listener = {
  opened() {
    connection.value = "live";
    viewsChanged();
    alertsChanged();
    markChanged(null);
    runList.invalidate();
  },
  /** @param {import("./client/api_types.js").UpdateEvent} update */
  updated(update) {
    revision.value = update.revision;
    if (update.views) viewsChanged();
    if (update.alerts) alertsChanged();
    // Removed runs disappear with the next list; requests for them would only be refused.
    paced.add([...update.changed, ...update.added]);
  },
  lost() {
    connection.value = "lost";
  },
};

/** Lists the runs, then follows the server while the page is visible; a hidden page sends no further requests. */
export function startLiveUpdates() {
  runList.observe();
  if (!followsServer()) return void (connection.value = "snapshot");
  /** @type {Array<() => void>} */
  let stops = [];
  const follow = () => {
    for (const stop of stops.splice(0)) stop();
    if (!document.hidden) stops = [followHealth(), followUpdates(listener), effect(pollWhileIncomplete)];
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}

function pollWhileIncomplete() {
  const reply = runsReply.value;
  listError.value; // After an error too.
  if (connection.value === "lost" || (reply && !reply.loading && reply.logdir_exists)) return;
  const timer = setTimeout(() => runList.invalidate(), POLL_INTERVAL);
  return () => clearTimeout(timer);
}
