// The columns of the visible runs as scatter plots and parallel axes draw them.

import { computed } from "@preact/signals-core";
import { tokens } from "../../../charts/theme.js";
import { columnOf } from "../../../controls/run_plots/columns.js";
import { isLogByDefault, scaleOf } from "../../../controls/run_plots/scale.js";
import { customColours } from "../../../data/colours/custom_colours.js";
import { styles, visibleRuns } from "../../../data/runs/runs.js";
import { theme } from "../../../data/view/view.js";
import { valuesOf } from "./run_values.js";

/** @param {import("../model/column_names.js").ColumnName} name @param {boolean | undefined} isLog absent = automatic
 * @returns {import("../../../controls/run_plots/scale.js").Scale} */
export function scaleFor(name, isLog) {
  const column = columnOf(
    name.statistic === "param" ? "param" : "metric",
    name.name,
    visibleRuns.value.map(valuesOf(name)),
  );
  return scaleOf(column, isLog ?? isLogByDefault(column));
}

/** The own colours of the visible runs. */
export const runColours = computed(() => {
  customColours.value; // The palette includes colours that users chose.
  theme.value;
  return {
    css: tokens().palette,
    byRow: Uint8Array.from(visibleRuns.value, (run) => styles.value.get(run)?.colour ?? 0),
  };
});

export const rows = computed(() => visibleRuns.value.map((_, row) => row));
