// How much each hyperparameter matters for a metric: fetched while it is shown, again when the data changes.

import { computed, signal } from "@preact/signals-core";
import { Query } from "../../../data/client/query.js";
import { readImportance } from "../../../data/kinds/importance_client.js";

/** @typedef {{metric: string, source: import("../../../data/kinds/importance_client.js").MetricSource, runs: string[], stamp: string}} ImportanceQuery
 * runs: empty = all; stamp: changes with the data */

/** Changed data is measured again at most this often, in milliseconds. */
const INTERVAL = 5000;

/** @type {import("@preact/signals-core").Signal<ImportanceQuery | null>} */
const wanted = signal(null);
const query = new Query(
  (_key, signal) => {
    const { metric, source, runs } = /** @type {ImportanceQuery} */ (wanted.peek());
    return readImportance(metric, source, runs, signal);
  },
  { interval: INTERVAL },
);

export const importance = {
  error: query.error,
  /** The newest reply for the selected metric; null before the first. */
  reply: computed(() => {
    const reply = query.value.value;
    return reply && reply.metric === wanted.value?.metric && reply.source === wanted.value.source ? reply : null;
  }),

  /** Follows a metric until the returned function is called. @param {() => ImportanceQuery | null} metric read inside an effect */
  follow(metric) {
    return query.observe(() => {
      const selected = (wanted.value = metric());
      query.select(selected && JSON.stringify([selected.metric, selected.source]), JSON.stringify(selected));
    });
  },
};
