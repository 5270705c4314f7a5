// The order of the cards on the scalars page, stored in the URL; a long manual order is stored in the browser.

import { computed, effect, signal } from "@preact/signals-core";
import { Query } from "../../../data/client/query.js";
import { stopAll } from "../../../data/client/stop_all.js";
import { runsByName, runsReply, scalarTags } from "../../../data/runs/catalogue.js";
import { drawnRuns } from "../../../data/runs/runs.js";
import { inManualOrder, movedTo, shortestOrder, sortedByChange } from "../../../data/tags/card_order.js";
import { listTags } from "../../../data/tags/listing_client.js";
import { parseList, printList } from "../../../data/view/address_lists.js";
import { set, setting } from "../../../data/view/view.js";

/** @typedef {import("../../../data/tags/names.js").TagGroup} TagGroup */

/** Runs whose changes are read: those that changed last. */
const MAX_RUNS = 100;
/** A longer order would make the URL too long to share. */
const LONGEST = 1500;

/** @type {import("@preact/signals-core").ReadonlySignal<"name" | "changed" | "hand">} */
export const order = setting("scalar.order", "name", /** @type {const} */ (["name", "changed", "hand"]));

/** When each tag changed last, in seconds: fetched when this order is chosen, and not again while it is shown, for
 * cards that
 * keep changing places cannot be read. @type {Query<ReadonlyMap<string, number>>} */
const changes = new Query((key, signal) => readChanges(JSON.parse(key), signal));

const inAddress = setting("scalar.hand", "");
const inBrowser = signal("");
const storageName = () => `toposcope.hand ${runsReply.peek()?.logdir ?? ""}`;
const manualOrder = computed(() => parseList(inAddress.value || inBrowser.value));

/** @param {readonly TagGroup[]} groups in natural order @returns {readonly TagGroup[]} */
export function arrange(groups) {
  if (order.value === "changed") return changes.value.value ? sortedByChange(groups, changes.value.value) : groups;
  return order.value === "hand" ? inManualOrder(groups, manualOrder.value) : groups;
}

/** Moves a tag to the place of another of its group; the order becomes manual.
 * @param {readonly string[]} shown the group's tags in order @param {string} tag @param {string} other */
export function moveCard(shown, tag, other) {
  const text = printList(shortestOrder(order.peek() === "hand" ? manualOrder.peek() : [], movedTo(shown, tag, other)));
  const isLong = text.length > LONGEST;
  inBrowser.value = isLong ? text : "";
  try {
    if (isLong) localStorage.setItem(storageName(), text);
    else localStorage.removeItem(storageName());
  } catch {
    // Without storage, the order lasts until the page is closed.
  }
  set({ "scalar.order": "hand", "scalar.hand": isLong ? "" : text });
}

/** Follows the chosen order until the returned function is called. */
export const followOrder = () =>
  stopAll([
    changes.observe(() => {
      const isByChange = order.value === "changed" && scalarTags.value !== null;
      changes.select(isByChange ? JSON.stringify(drawnRuns.value) : null);
    }),
    effect(() => {
      if (order.value === "hand" && runsReply.value && !inAddress.value && !inBrowser.peek())
        inBrowser.value = stored();
    }),
  ]);

function stored() {
  try {
    return localStorage.getItem(storageName()) ?? "";
  } catch {
    return "";
  }
}

/** @param {readonly string[]} drawn @param {AbortSignal} signal @returns {Promise<ReadonlyMap<string, number>>} */
async function readChanges(drawn, signal) {
  const changed = (/** @type {string} */ run) => runsByName.peek().get(run)?.updated ?? 0;
  const latest = drawn.toSorted((a, b) => changed(b) - changed(a)).slice(0, MAX_RUNS);
  const { tags } = latest.length ? await listTags(["scalar"], latest, signal) : { tags: [] };
  const newest = new Map();
  for (const { tag, updated } of tags)
    if (Number.isFinite(updated)) newest.set(tag, Math.max(newest.get(tag) ?? 0, Number(updated)));
  return newest;
}
