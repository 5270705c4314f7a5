// The runs and tags the server last told of, and asking for them again.

import { computed, signal } from "@preact/signals-core";
import { listRuns, listScalarTags } from "./client.js";

/** @typedef {import("./replies.js").RunRow} RunRow */
/** @typedef {import("./replies.js").RunsReply} RunsReply */

/** The last list of runs; null before the first. @type {import("@preact/signals-core").Signal<RunsReply | null>} */
export const listed = signal(null);
/** All scalar tags; null before the first list. @type {import("@preact/signals-core").Signal<string[] | null>} */
export const scalarTags = signal(null);
/** How many runs have each of them. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, number>>} */
export const runsHaving = signal(new Map());
/** Why the last list could not be had. @type {import("@preact/signals-core").Signal<Error | null>} */
export const listError = signal(null);

export const runs = computed(() => listed.value?.runs ?? []);
export const runsByName = computed(() => new Map(runs.value.map((row) => [row.run, row])));

let tagsKnownFor = "";

/** Brings both lists up to date. */
export async function loadCatalogue() {
  try {
    const reply = await listRuns();
    const fingerprint = reply.runs.map((row) => `${row.run}\0${row.plugins.scalar ?? 0}`).join("\n");
    if (fingerprint !== tagsKnownFor || scalarTags.peek() === null) {
      const rows = (await listScalarTags()).tags;
      runsHaving.value = new Map(rows.map((row) => [row.tag, row.runs]));
      publishTags(rows.map((row) => row.tag));
      tagsKnownFor = fingerprint;
    }
    listed.value = reply;
    listError.value = null;
  } catch (error) {
    listError.value = /** @type {Error} */ (error);
  }
}

/** The signal changes only when the tags do, so that no card is touched for nothing.
 * @param {string[]} tags */
function publishTags(tags) {
  const known = scalarTags.peek();
  if (known && known.length === tags.length && tags.every((tag, index) => tag === known[index])) return;
  scalarTags.value = tags;
}
