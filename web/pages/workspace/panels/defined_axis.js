// The x axis of a line chart for which none is chosen: the step metric that the training defined for all of its tags.

import { scalarTags } from "../../../data/catalogue.js";
import { drawnRuns } from "../../../data/runs.js";
import { commonStepMetric, DEFINITIONS, parseDefinitions } from "../model/defined_axes.js";
import { valuesOf } from "./run_values.js";

/** The column of values that it is read from. @type {import("../model/column_names.js").ColumnName} */
export const DEFINITIONS_COLUMN = { statistic: "param", name: DEFINITIONS };

/** The tag on the x axis; "" = none is defined. @param {import("../model/line_sources.js").Source[]} sources */
export function definedAxis(sources) {
  const definitions = valuesOf(DEFINITIONS_COLUMN);
  const text = drawnRuns.value.map(definitions).find((value) => value !== null);
  const x = commonStepMetric(sources, parseDefinitions(text));
  return (scalarTags.value ?? []).includes(x) ? x : "";
}
