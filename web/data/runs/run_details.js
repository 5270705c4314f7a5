// What is fetched only of a run that is looked at: its recordings with tracebacks, and where records are damaged.

import { computed } from "@preact/signals-core";
import { readRuns } from "../client/client.js";
import { runsByName } from "./catalogue.js";
import { RunCache, stampOf } from "./run_cache.js";

/** @typedef {import("../client/api_types.js").RunRow} RunRow */
/** @typedef {import("../client/api_types.js").RunDetails} RunDetails */

/** @param {RunRow | undefined} row */
const stampWithState = (row) =>
  row ? `${stampOf(row)} ${row.state} ${row.phase} ${row.ended} ${row.damaged_records} ${row.stale}` : null;

const NOTHING = { recordings: [], damage: [], pending_records: 0 };

/** The details of one run, while they are followed. */
export class OpenRun {
  /** @type {RunCache<RunDetails>} */
  #cache = new RunCache(async (runs, signal) => (await readRuns(runs, signal)).runs, 1, stampWithState);

  /** @param {() => string} run "" = none */
  constructor(run) {
    this.run = run;
    /** The run with what is fetched of it; null if there is no such run.
     * @type {import("@preact/signals-core").ReadonlySignal<RunDetails | null>} */
    this.details = computed(() => {
      const row = runsByName.value.get(run());
      if (!row) return null;
      const details = this.#cache.rows.value.get(row.run);
      const error = row.error && { ...row.error, ...details?.error };
      return { ...NOTHING, ...details, ...row, error };
    });
  }

  /** Fetches them until the returned function is called. */
  follow() {
    return this.#cache.follow(() => {
      const run = this.run();
      return { runs: runsByName.value.has(run) ? [run] : [], query: null };
    });
  }
}
