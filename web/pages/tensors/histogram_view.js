// How the elements of the slice are spread at the step.

import { html, nothing } from "lit-html";
import { choice } from "../../controls/choice.js";
import { styles } from "../../data/runs.js";
import { set, setting, theme } from "../../data/view.js";
import { language } from "../../i18n/language.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { coverage } from "./coverage.js";
import { run, source } from "./displayed_slice.js";
import { tag } from "./settings.js";
import { histogramIn, surveyOf } from "./survey.js";
import { t } from "./words.js";
import "./tensor_bars.js";

const histogram = surveyOf(source, histogramIn);
export const followHistogram = histogram.follow;

const scale = setting("tensor.counts", "linear", ["linear", "log"]);

export function histogramView() {
  const error = histogram.error.value;
  if (error) return html`<p class="tensor-note">${t("card.failed", { reason: error.message })}</p>`;
  const survey = histogram.survey.value;
  if (!survey || !source.value) return html`<div class="tensor-chart bone"></div>`;
  const { found } = survey;
  const { nan, posInf, negInf, finite } = found.extent;
  /** @type {import("./tensor_bars.js").Bars} */
  const bars = {
    histogram: found,
    isLog: scale.value === "log",
    colour: styles.value.get(run.value)?.colour ?? 0,
    label: t("tensor.histogram_of", { tag: tag.value }),
    theme: theme.value,
    lang: language.value,
  };
  return html`
    <div class="tensor-legend">${coverage(survey)}
      ${finite ? html`<span class="meta">${t("tensor.from_to", { lo: shortNumber(found.extent.min, 5), hi: shortNumber(found.extent.max, 5) })}</span>` : nothing}
      ${nan + posInf + negInf ? html`<span class="meta non-finite" data-key="not-finite">${t("tensor.left_out", { n: grouped(nan + posInf + negInf) })}</span>` : nothing}
      <span class="space"></span>
      ${choice(
        "counts",
        t("tensor.counts"),
        [
          ["linear", t("bar.linear")],
          ["log", t("bar.log")],
        ],
        scale.value,
        (value) => set({ "tensor.counts": value === "log" ? value : "" }),
      )}
    </div>
    ${finite ? html`<tensor-bars data-source=${survey.key} .bars=${bars}></tensor-bars>` : html`<p class="tensor-note">${t("tensor.none_finite")}</p>`}`;
}
