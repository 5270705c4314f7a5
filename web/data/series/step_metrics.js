// The step metrics that trainings defined with W&B's define_metric(), read from the settings of the drawn runs.

import { computed } from "@preact/signals-core";
import { runs, scalarTags } from "../runs/catalogue.js";
import { runColumns } from "../runs/run_columns.js";
import { drawnRuns } from "../runs/runs.js";
import { commonStepMetric, DEFINITIONS, parseDefinitions } from "./defined_axes.js";

/** Of more runs, the settings are not read. */
const MAX_RUNS = 5000;

const definitions = computed(() => {
  const textOf = runColumns.of("param", DEFINITIONS);
  return parseDefinitions(drawnRuns.value.map(textOf).find((text) => text !== null));
});

/** Has any training defined one? */
export const hasStepMetrics = computed(() => Object.values(definitions.value).some((each) => each?.step_metric));

/** Reads them until the returned function is called. */
export const followStepMetrics = () =>
  runColumns.follow(() =>
    runs.value.length > MAX_RUNS ? null : { fact: [], last: [], min: [], max: [], param: [DEFINITIONS] },
  );

/** The tag on the x axis of all of these, if none is chosen; "" = none is defined.
 * @param {ReadonlyArray<{name: string, isExpression: boolean}>} sources tags and expressions */
export function definedX(sources) {
  const x = commonStepMetric(sources, definitions.value);
  return (scalarTags.value ?? []).includes(x) ? x : "";
}
