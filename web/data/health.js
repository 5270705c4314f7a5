// Faults that do not stop the server, as it reports them.

import { computed } from "@preact/signals-core";
import { readHealth } from "./client/client.js";
import { Query } from "./client/query.js";
import { runsReply } from "./runs/catalogue.js";

/** @typedef {import("./client/api_types.js").HealthWarning} HealthWarning */

const health = new Query((_key, signal) => readHealth(signal));

/** None from servers that report none.
 * @type {import("@preact/signals-core").ReadonlySignal<readonly HealthWarning[]>} */
export const serverWarnings = computed(() => health.value.value?.warnings ?? []);

/** Reads them once per visit, after the runs, until the returned function is called. */
export const followHealth = () => health.observe(() => health.select(runsReply.value ? "health" : null));
