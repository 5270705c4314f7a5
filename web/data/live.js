// Keeps the page up to date: events in, lists and visible cards asked again.

import { signal } from "@preact/signals-core";
import { listed, loadCatalogue } from "./catalogue.js";
import { expireListings } from "./listing.js";
import { expire } from "./series_requests.js";
import { followUpdates } from "./updates.js";

/** @typedef {import("./card_series.js").Feed} Feed */

/** Is the server there? @type {import("@preact/signals-core").Signal<"connecting" | "live" | "lost">} */
export const connection = signal("connecting");
/** The last revision told. */
export const revision = signal(0);

/** Every feed of the page, in sight or not. @type {Set<Feed>} */
export const feeds = new Set();

/** Lists are asked for at most this often; cards are not held back. */
const LIST_INTERVAL = 300;
/** How soon to look again when no event will tell: while loading, or waiting for a logdir. */
const WAITING_INTERVAL = 1000;

let listedAt = -Infinity;
let listTimer = 0;
let listing = false;
let behind = false;

/** Lists soon, once for many calls; a list under way is finished first. */
function listSoon() {
  behind = true;
  if (listing) return;
  clearTimeout(listTimer);
  listTimer = window.setTimeout(list, Math.max(0, listedAt + LIST_INTERVAL - performance.now()));
}

async function list() {
  behind = false;
  listing = true;
  listedAt = performance.now();
  await loadCatalogue();
  listing = false;
  const reply = listed.peek();
  if (behind) listSoon();
  else if (!document.hidden && connection.peek() !== "lost" && (!reply || reply.loading || !reply.logdir_exists)) {
    listTimer = window.setTimeout(list, WAITING_INTERVAL);
  }
}

const listener = {
  opened() {
    connection.value = "live";
    expire(null, feeds);
    expireListings(null);
    listSoon();
  },
  /** @param {import("./replies.js").UpdateEvent} update */
  updated(update) {
    revision.value = update.revision;
    // What was removed leaves with the next list; to ask for it would only be refused.
    const changed = [...update.changed, ...update.added];
    expire(changed, feeds);
    expireListings(changed);
    listSoon();
  },
  lost() {
    connection.value = "lost";
  },
};

/** Follows the server while the page is looked at; a hidden page asks for nothing. */
export function stayLive() {
  /** @type {(() => void) | null} */
  let stop = null;
  const follow = () => {
    if (document.hidden) {
      stop?.();
      stop = null;
    } else {
      stop ??= followUpdates(listener);
    }
  };
  document.addEventListener("visibilitychange", follow);
  follow();
  list();
}
