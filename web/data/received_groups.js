// The groups of runs that the cards have received, under the current grouping.

import { signal } from "@preact/signals-core";
import { withBands } from "./group_order.js";
import { styleOf } from "./run_styles.js";
import { bands } from "./scalar_view.js";

/** @typedef {import("./group_order.js").Groups} Groups */

/** @type {import("@preact/signals-core").Signal<{by: string, groups: Groups}>} */
const received = signal({ by: "", groups: new Map() });

/** @returns {Groups} none while runs are not grouped */
export const receivedGroups = () => (received.value.by === (bands.value?.by ?? "") ? received.value.groups : new Map());

/** Adds the groups of a card.
 * @param {import("./card_series.js").Feed} feed */
export function noteGroups(feed) {
  feed.version.value;
  const by = feed.query.grouped?.how.by;
  if (!by || !feed.isBands || !feed.fetched.size) return; // The last bands stay while others are fetched.
  const { by: before, groups } = received.peek();
  const next = withBands(before === by ? groups : new Map(), [...feed.series.values()].flat());
  if (next !== groups) received.value = { by, groups: next };
}

/** The style of a group in all cards.
 * @param {string} name */
export const styleOfGroup = (name) => receivedGroups().get(name)?.style ?? styleOf(0);
