// Counts the changes of each run: what was fetched of an older version is stale.

import { signal } from "@preact/signals-core";

/** Grows with every change of any run. */
export const changes = signal(0);

let allChangedAt = 0;
/** @type {Map<string, number>} */
const changedAt = new Map();

/** @param {string} run */
export const versionOf = (run) => Math.max(allChangedAt, changedAt.get(run) ?? 0);

/** @param {readonly string[] | null} runs null = any run may have changed */
export function markChanged(runs) {
  const now = changes.peek() + 1;
  if (!runs) {
    allChangedAt = now;
    changedAt.clear();
  }
  for (const run of runs ?? []) changedAt.set(run, now);
  changes.value = now;
}
