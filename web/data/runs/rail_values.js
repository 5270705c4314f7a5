// The values that the run list shows of each run: the last one of the likely target, or those that were chosen.

import { computed } from "@preact/signals-core";
import { parseList, printList } from "../view/address_lists.js";
import { set, setting } from "../view/view.js";
import { lastValues } from "./last_values.js";
import { valuesOf } from "./run_values.js";
import { focusTag } from "./runs.js";

/** @typedef {import("./run_values.js").ValueId} ValueId */
/** @typedef {{id: ValueId, read: (run: string) => import("../text/value_filter.js").Value}} RailValue */

const text = setting("runs.values", /** @type {string} */ (""));
/** The chosen values; none = that of the target. @type {import("@preact/signals-core").ReadonlySignal<ValueId[]>} */
export const chosenValues = computed(() => parseList(text.value));

/** @param {ValueId} id "" = the default */
export function toggleValue(id) {
  const chosen = chosenValues.peek();
  const others = chosen.filter((other) => other !== id);
  set({ "runs.values": id ? printList(others.length < chosen.length ? others : [...chosen, id]) : "" });
}

/** The columns of the list. The default one is fetched for the visible rows only. @type
 * {import("@preact/signals-core").ReadonlySignal<RailValue[]>} */
export const railValues = computed(() => {
  if (chosenValues.value.length) return chosenValues.value.map((id) => ({ id, read: valuesOf(id) }));
  if (!focusTag.value) return [];
  const values = lastValues.value;
  return [{ id: `last:${focusTag.value}`, read: (run) => values.get(run) ?? null }];
});
