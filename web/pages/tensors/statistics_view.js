// Statistics of the tensor over the steps: a chart for each statistic, with a line for each visible run.

import { computed, effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { styles } from "../../data/runs/runs.js";
import { set, theme } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { entry, run, runs, steps } from "./displayed_slice.js";
import { STATISTICS, statisticOf, statisticSeries } from "./model/statistic_series.js";
import { disposeAll, stepsOf } from "./series_steps.js";
import { ranks, tag } from "./settings.js";
import { t } from "./words.js";
import "./tensor_lines.js";

/** More lines could not be distinguished. */
const MAX_RUNS = 12;

/** The steps of each run; the shown run is always included, and its steps are already loaded. */
const seriesOfRuns = computed(() => {
  const name = tag.value;
  return [...new Set([run.value, ...runs.value])].slice(0, MAX_RUNS).map((runName) => {
    const series = { run: runName, tag: name, ...ranks.query.value };
    return {
      run: runName,
      steps:
        runName === run.value
          ? steps
          : stepsOf(
              computed(() => series),
              computed(() => null),
            ),
    };
  });
});

export const followStatistics = () =>
  effect(() =>
    disposeAll(seriesOfRuns.value.filter((series) => series.steps !== steps).map((series) => series.steps.follow())),
  );

/** @param {import("./model/statistic_series.js").Statistic} name @returns {import("../../charts/plot.js").Line[]} */
const linesOf = (name) =>
  seriesOfRuns.value.flatMap(({ run: runName, steps: { entries, total } }) => {
    if (!entries.value?.length) return [];
    const series = statisticSeries(runName, entries.value, name, total.value);
    return [
      {
        run: runName,
        style: styles.value.get(runName) ?? { colour: 0, dash: 0 },
        xs: series.step,
        ys: series.value,
        raw: null,
        series,
      },
    ];
  });

/** Shows the step that is clicked.
 * @param {number} step */
const showStep = (step) => set({ "tensor.step": String(step) });

export function statisticsView() {
  const listed = steps.entries.value?.length ?? 0;
  const omitted = runs.value.length - seriesOfRuns.value.length;
  const hasNonFinite = seriesOfRuns.value.some(({ steps: { entries } }) =>
    entries.value?.some((each) => statisticOf(each, "not_finite") > 0),
  );
  return html`
    <p class="tensor-coverage">${
      steps.isIncomplete.value
        ? t("tensor.some_steps", { n: grouped(listed), all: grouped(steps.total.value) })
        : t("tensor.all_steps", { n: grouped(listed) })
    }
      ${omitted > 0 ? t("page.left_out", { n: omitted }) : nothing}</p>
    <div class="tensor-charts">
      ${STATISTICS.map(
        (name) => html`
        <tensor-lines data-statistic=${name}
          .lines=${{
            lines: linesOf(name),
            shownStep: entry.value?.step ?? null,
            theme: theme.value,
            onStep: showStep,
          }}>
          <h3 class=${name === "not_finite" && hasNonFinite ? "non-finite" : ""}>${t(`tensor.chart_${name}`)}<span
            class="tensor-read-out"></span></h3>
          <div class="plot" role="img"
            aria-label=${t("tensor.chart_of", { name: t(`tensor.chart_${name}`), tag: tag.value })}></div>
        </tensor-lines>`,
      )}
    </div>
    ${valuesTable()}`;
}

/** The values as a table. */
const valuesTable = () => html`
  <details class="tensor-numbers"><summary>${t("tensor.as_table")}</summary>
    <table><thead><tr><th scope="col">${t("step.slider")}</th>${STATISTICS.map(
      (name) => html`<th scope="col">${t(`tensor.chart_${name}`)}</th>`,
    )}</tr></thead>
      <tbody>${(steps.entries.value ?? []).map(
        (each) => html`<tr><th scope="row">${grouped(each.step)}</th>
        ${[each.mean, each.min, each.max].map(
          (value) => html`<td>${value ?? "–"}</td>`,
        )}<td>${statisticOf(each, "not_finite")}</td></tr>`,
      )}</tbody></table>
  </details>`;
