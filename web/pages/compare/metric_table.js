// The best values of the compared runs: the best run of each metric is marked, the others differ from the baseline.

import { computed } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { wholeCell } from "../../controls/number_cell.js";
import { baseline } from "../../data/runs/baseline.js";
import { runCounts } from "../../data/runs/catalogue.js";
import { metrics } from "../../data/runs/run_table.js";
import { comparedRuns } from "../../data/runs/runs.js";
import { bestOf, isBestKnown } from "../../data/series/best_values.js";
import { deltaOf, percentOf, percentText, verdictOf, withSign } from "../../data/series/delta.js";
import { likelyMetrics } from "../../data/series/metrics.js";
import { view } from "../../data/view/view.js";
import { columnFormat, grouped, inColumn } from "../../i18n/numbers.js";
import { compareCache } from "./compared.js";
import { grid, wholeRooms } from "./grid.js";
import { t } from "./words.js";

/** Metrics of the table. */
const MOST = 8;

/** Those of the overview table first. */
export const comparedMetrics = computed(() => {
  const counts = [...runCounts.value].map(([tag, runs]) => ({ tag, runs }));
  return [...new Set([...metrics.value, ...likelyMetrics(counts, view.value.focus, MOST)])].slice(0, MOST);
});

/** The runs whose values are fetched: the baseline may not be one of the compared runs. */
export const measuredRuns = computed(() => [
  ...new Set([...comparedRuns.value, ...(baseline.value ? [baseline.value] : [])]),
]);

export function metricTable() {
  const found = comparedMetrics.value
    .map((tag) => ({ tag, values: comparedRuns.value.map((run) => bestValue(run, tag)) }))
    .filter(({ values }) => values.some((value) => value !== null))
    .map(({ tag, values }) => ({ tag, values, format: columnFormat(values.map((best) => best?.value ?? NaN)) }));
  const rooms = wholeRooms(
    found.map(({ values, format }) => values.flatMap((best) => (best ? [inColumn(best.value, format)] : []))),
  );
  const lines = found.map((line, at) => lineOf(line, rooms[at]));
  return lines.length
    ? html`<header><h2>${t("compare.best_values")}</h2>${
        baseline.value ? nothing : html`<span class="meta">${t("compare.no_baseline")}</span>`
      }</header>${grid(comparedRuns.value, lines, t("compare.best_values"), "best")}`
    : nothing;
}

/** @param {string} run @param {string} tag */
function bestValue(run, tag) {
  const extreme = compareCache.rows.value.get(run)?.metrics[tag]?.[bestOf(tag)];
  return extreme ?? null;
}

/** @param {{tag: string, values: ({value: number, step: number} | null)[],
 * format: import("../../i18n/numbers.js").ColumnFormat}} line @param {number} room for integer parts */
function lineOf({ tag, values, format }, room) {
  const goal = bestOf(tag);
  const numbers = values.map((best) => best?.value ?? NaN);
  const finite = numbers.filter(Number.isFinite);
  const best = isBestKnown(tag) && new Set(finite).size > 1 ? Math[goal](...finite) : NaN;
  const base = baseline.value ? bestValue(baseline.value, tag)?.value : undefined;
  const cell = (/** @type {{value: number, step: number} | null} */ each, /** @type {number} */ at) =>
    each === null
      ? html`<td><span class="dim">–</span></td>`
      : html`<td class=${each.value === best ? "best" : ""} data-value=${each.value}
          title=${`${each.value} · ${t("step.at", { step: grouped(each.step) })}`}><div>${wholeCell(inColumn(each.value, format), room)}${
            comparedRuns.value[at] === baseline.value
              ? nothing
              : difference(each.value, base, format, isBestKnown(tag) ? goal : null)
          }</div></td>`;
  return {
    name: tag,
    head: html`${tag} <span class="meta">${t(`compare.${goal}`)}</span>`,
    cells: values.map(cell),
  };
}

/** @param {number} value @param {number | undefined} base @param {import("../../i18n/numbers.js").ColumnFormat} format
 * @param {"min" | "max" | null} goal null = neither is known to be better */
function difference(value, base, format, goal) {
  const delta = deltaOf(value, base);
  if (delta === null) return nothing;
  const percent = percentOf(value, base);
  return html`<span class="delta ${goal ? verdictOf(delta, goal) : ""}" data-delta=${delta}>${withSign(
    delta,
    inColumn(Math.abs(delta), format),
  )}${percent === null ? nothing : html` <span>${percentText(percent)}</span>`}</span>`;
}
