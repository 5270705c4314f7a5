// The groups of runs that charts have received from the server, by what the runs are grouped by.

import { signal } from "@preact/signals-core";
import { styleOf } from "../colours/run_styles.js";
import { withBands } from "./group_order.js";
import { runGroups } from "./run_groups.js";

/** @typedef {import("./group_order.js").Groups} Groups */

/** @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Groups>>} */
const received = signal(new Map());
/** @type {Groups} */
const NONE = new Map();

/** @param {string} [by] the grouping of all pages if absent @returns {Groups} */
const groupsBy = (by) => (by === undefined ? runGroups.value : received.value.get(by)) ?? NONE;

/** Adds the groups of a chart.
 * @param {import("../series/card_series.js").Feed} feed */
export function noteGroups(feed) {
  feed.version.value;
  const by = feed.query.grouped?.how.by;
  if (!by || !feed.isBands || !feed.fetched.size) return; // The last bands stay while others are fetched.
  const before = received.peek().get(by) ?? NONE;
  const next = withBands(before, [...feed.series.values()].flat());
  if (next !== before) received.value = new Map(received.peek()).set(by, next);
}

/** The style of a group in all charts that group by the same.
 * @param {string} name @param {string} [by] the grouping of all pages if absent */
export const styleOfGroup = (name, by) => groupsBy(by).get(name)?.style ?? styleOf(0);
