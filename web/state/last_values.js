// The last value of the focus metric of every run, for the run list.

import { effect, signal } from "@preact/signals-core";
import { readScalars } from "../api/client.js";
import { runs } from "./catalogue.js";
import { focusTag } from "./runs.js";

/** Last values by run; a run without the tag has none. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, number>>} */
export const lastValues = signal(new Map());

/** The `updated` for which a run's value is known. @type {Map<string, number | null>} */
let knownAt = new Map();
let knownTag = "";
/** @type {AbortController | null} */
let asking = null;

/** Asks again for the runs that have changed, whenever the list of runs or the focus does. */
export const followLastValues = () =>
  effect(() => {
    const tag = focusTag.value;
    const rows = runs.value;
    if (tag !== knownTag) {
      knownTag = tag;
      knownAt = new Map();
      lastValues.value = new Map();
    }
    const changed = rows.filter((row) => !knownAt.has(row.run) || knownAt.get(row.run) !== row.updated);
    if (tag && changed.length) ask(tag, changed);
  });

/** @param {string} tag @param {import("../api/replies.js").RunRow[]} changed */
async function ask(tag, changed) {
  asking?.abort();
  asking = new AbortController();
  try {
    const { series } = await readScalars({ tag: [tag], run: changed.map((row) => row.run), points: 4 }, asking.signal);
    const values = new Map(lastValues.peek());
    for (const { run, value } of series) values.set(run, Number(value.at(-1)));
    for (const row of changed) knownAt.set(row.run, row.updated);
    lastValues.value = values;
  } catch {
    // The values of before stay; the next change of a run asks again.
  }
}
