// In which order the cards of the scalars page stand, kept in the address; an order by hand that is too long for it in the browser.

import { computed, effect, signal } from "@preact/signals-core";
import { parseList, printList } from "../../../data/address_lists.js";
import { byChange, byHand, movedTo, rememberedOrder } from "../../../data/card_order.js";
import { listed, runsByName, scalarTags } from "../../../data/catalogue.js";
import { listTags } from "../../../data/listings.js";
import { drawnRuns } from "../../../data/runs.js";
import { set, setting } from "../../../data/view.js";

/** @typedef {import("../../../data/names.js").TagGroup} TagGroup */

/** Of more runs those are asked that changed last. */
const MOST_RUNS = 100;
/** A longer order makes an address that nobody can send. */
const LONGEST = 1500;

/** @type {import("@preact/signals-core").ReadonlySignal<"name" | "changed" | "hand">} */
export const order = setting("scalar.order", "name", /** @type {const} */ (["name", "changed", "hand"]));

/** When each tag changed last, as it was when the order was chosen: cards that went on changing places could not be read.
 * @type {import("@preact/signals-core").Signal<ReadonlyMap<string, number>>} */
const changedAt = signal(new Map());

const inAddress = setting("scalar.hand", "");
const inBrowser = signal("");
const storageName = () => `toposcope.hand ${listed.peek()?.logdir ?? ""}`;
const hand = computed(() => parseList(inAddress.value || inBrowser.value));

/** @param {readonly TagGroup[]} groups in the order of their names @returns {readonly TagGroup[]} */
export function arrange(groups) {
  if (order.value === "changed") return changedAt.value.size ? byChange(groups, changedAt.value) : groups;
  return order.value === "hand" ? byHand(groups, hand.value) : groups;
}

/** Puts a tag where another of its group stands; from then on the order is that of the hand.
 * @param {readonly string[]} shown the group's tags as they stand @param {string} tag @param {string} other */
export function moveCard(shown, tag, other) {
  const text = printList(rememberedOrder(order.peek() === "hand" ? hand.peek() : [], movedTo(shown, tag, other)));
  const isLong = text.length > LONGEST;
  inBrowser.value = isLong ? text : "";
  try {
    if (isLong) localStorage.setItem(storageName(), text);
    else localStorage.removeItem(storageName());
  } catch {
    // A browser that refuses storage has the order until it leaves the page.
  }
  set({ "scalar.order": "hand", "scalar.hand": isLong ? "" : text });
}

/** Follows the chosen order until the returned function is called. */
export function followOrder() {
  const ends = [
    effect(() => {
      if (order.value !== "changed" || !scalarTags.value) return;
      const request = new AbortController();
      askChanges(drawnRuns.value, request.signal);
      return () => request.abort();
    }),
    effect(() => {
      if (order.value === "hand" && listed.value && !inAddress.value && !inBrowser.peek()) inBrowser.value = stored();
    }),
  ];
  return () => ends.forEach((end) => end());
}

function stored() {
  try {
    return localStorage.getItem(storageName()) ?? "";
  } catch {
    return "";
  }
}

/** @param {readonly string[]} drawn @param {AbortSignal} signal */
async function askChanges(drawn, signal) {
  const changed = (/** @type {string} */ run) => runsByName.peek().get(run)?.updated ?? 0;
  const latest = drawn.toSorted((a, b) => changed(b) - changed(a)).slice(0, MOST_RUNS);
  try {
    const { tags } = latest.length ? await listTags(["scalar"], latest, signal) : { tags: [] };
    const newest = new Map();
    for (const { tag, updated } of tags)
      if (Number.isFinite(updated)) newest.set(tag, Math.max(newest.get(tag) ?? 0, Number(updated)));
    if (!signal.aborted) changedAt.value = newest;
  } catch {
    // The order of before stays; another choice of runs asks again.
  }
}
