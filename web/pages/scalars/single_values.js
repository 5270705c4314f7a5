// Bars in place of a chart, where each run has recorded a tag once: a score at its end, a hyperparameter.

import { nothing } from "lit-html";
import { barsOf } from "../../controls/run_bars/bars.js";
import { runBars } from "../../controls/run_bars/run_bars.js";
import { runsByName } from "../../data/runs/catalogue.js";
import { bestOf } from "../../data/series/best_values.js";

/** @typedef {import("../../charts/plot.js").Plot} Plot */

/** The bars; nothing if lines are to be drawn. A run that is running may record more points.
 * @param {string} tag @param {Plot | null} plot */
export function singleValues(tag, plot) {
  if (!plot?.isWhole || !plot.lines.length || !plot.lines.every(isOnePoint)) return nothing;
  const values = new Map(plot.lines.map(({ run, ys }) => [run, ys[0]]));
  const { bars } = barsOf([...values.keys()], (run) => values.get(run), bestOf(tag) === "min" ? "up" : "down");
  return runBars(bars, tag);
}

/** @param {import("../../charts/plot.js").Line} line */
function isOnePoint({ run, kin, series, isBaseline, margin }) {
  const row = runsByName.value.get(run);
  return (
    series.total - series.duplicates === 1 &&
    !kin?.length &&
    !margin &&
    !isBaseline &&
    row !== undefined &&
    row.state !== "running"
  );
}
