// The last value of the focus metric, for the rows of the run list that are in sight.

import { effect, signal } from "@preact/signals-core";
import { runsByName } from "./catalogue.js";
import { readScalars } from "./client.js";
import { focusTag } from "./runs.js";

/** Last values by run; a run without the tag has none. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, number>>} */
export const lastValues = signal(new Map());

/** The `updated` for which a run's value is known. @type {Map<string, number | null>} */
let knownAt = new Map();
let knownTag = "";
/** @type {readonly string[]} */
let wanted = [];
let isAsking = false;

/** Asks for the runs in sight, and again for those that have changed.
 * @param {() => readonly string[]} inSight read inside an effect */
export const followLastValues = (inSight) =>
  effect(() => {
    if (focusTag.value !== knownTag) {
      knownTag = focusTag.value;
      knownAt = new Map();
      lastValues.value = new Map();
    }
    runsByName.value;
    wanted = inSight();
    askForMore();
  });

/** One request at a time: what scrolls by meanwhile is not asked for. */
async function askForMore() {
  const tag = knownTag;
  const rows = wanted.flatMap((run) => runsByName.peek().get(run) ?? []);
  const changed = rows.filter(({ run, updated }) => !knownAt.has(run) || knownAt.get(run) !== updated);
  if (isAsking || !tag || !changed.length) return;
  isAsking = true;
  try {
    const { series } = await readScalars({ tag: [tag], run: changed.map((row) => row.run), points: 4 });
    if (tag === knownTag) publish(series, changed);
    queueMicrotask(askForMore);
  } catch {
    // The values of before stay; the next change of a run asks again.
  } finally {
    isAsking = false;
  }
}

/** @param {import("./replies.js").SeriesReply[]} series @param {import("./replies.js").RunRow[]} asked */
function publish(series, asked) {
  const values = new Map(lastValues.peek());
  for (const { run, value } of series) values.set(run, Number(value.at(-1)));
  for (const { run, updated } of asked) knownAt.set(run, updated);
  lastValues.value = values;
}
