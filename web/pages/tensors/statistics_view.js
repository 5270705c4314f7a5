// Statistics of the tensor over the steps: a chart each, a line for each drawn run that has it.

import { computed, effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { styles } from "../../data/runs.js";
import { set, theme } from "../../data/view.js";
import { grouped } from "../../i18n/numbers.js";
import { entry, run, runs, steps } from "./displayed_slice.js";
import { columnOf, STATISTICS } from "./model/lines.js";
import { stepsOf, together } from "./series_steps.js";
import { ranks, tag } from "./settings.js";
import { t } from "./words.js";
import "./tensor_lines.js";

/** More lines nobody tells apart. */
const MOST_RUNS = 12;

/** Steps of each run; the shown run's are here already, and it is always among them. */
const several = computed(() => {
  const name = tag.value;
  return [...new Set([run.value, ...runs.value])].slice(0, MOST_RUNS).map((one) => {
    const series = { run: one, tag: name, ...ranks.query.value };
    return {
      run: one,
      steps:
        one === run.value
          ? steps
          : stepsOf(
              computed(() => series),
              computed(() => null),
            ),
    };
  });
});

export const followStatistics = () =>
  effect(() => together(several.value.filter((one) => one.steps !== steps).map((one) => one.steps.follow())));

/** @param {import("./model/lines.js").Statistic} name @returns {import("../../charts/plot.js").Line[]} */
const linesOf = (name) =>
  several.value.flatMap(({ run: one, steps: { entries, total } }) => {
    if (!entries.value?.length) return [];
    const series = columnOf(one, entries.value, name, total.value);
    return [
      {
        run: one,
        style: styles.value.get(one) ?? { colour: 0, dash: 0 },
        xs: series.step,
        ys: series.value,
        raw: null,
        series,
      },
    ];
  });

/** A click on a chart shows the step.
 * @param {number} step */
const chosen = (step) => set({ "tensor.step": String(step) });

export function statisticsView() {
  const listed = steps.entries.value?.length ?? 0;
  const left = runs.value.length - several.value.length;
  const bad = several.value.some(({ steps: { entries } }) =>
    entries.value?.some((one) => one.nan_count + one.pos_inf_count + one.neg_inf_count),
  );
  return html`
    <p class="tensor-coverage">${steps.isPart.value ? t("tensor.some_steps", { n: grouped(listed), all: grouped(steps.total.value) }) : t("tensor.all_steps", { n: grouped(listed) })}
      ${left > 0 ? t("page.left_out", { n: left }) : nothing}</p>
    <div class="tensor-charts">
      ${STATISTICS.map(
        (name) => html`
        <tensor-lines data-statistic=${name} .lines=${{ lines: linesOf(name), at: entry.value?.step ?? null, theme: theme.value, chosen }}>
          <h3 class=${name === "not_finite" && bad ? "non-finite" : ""}>${t(`tensor.chart_${name}`)}<span class="tensor-read-out"></span></h3>
          <div class="plot" role="img" aria-label=${t("tensor.chart_of", { name: t(`tensor.chart_${name}`), tag: tag.value })}></div>
        </tensor-lines>`,
      )}
    </div>
    ${inWords()}`;
}

/** The same as a table. */
const inWords = () => html`
  <details class="tensor-numbers"><summary>${t("tensor.as_table")}</summary>
    <table><thead><tr><th scope="col">${t("step.slider")}</th>${STATISTICS.map((name) => html`<th scope="col">${t(`tensor.chart_${name}`)}</th>`)}</tr></thead>
      <tbody>${(steps.entries.value ?? []).map(
        (one) => html`<tr><th scope="row">${grouped(one.step)}</th>
        ${[one.mean, one.min, one.max].map((value) => html`<td>${value ?? "–"}</td>`)}<td>${one.nan_count + one.pos_inf_count + one.neg_inf_count}</td></tr>`,
      )}</tbody></table>
  </details>`;
