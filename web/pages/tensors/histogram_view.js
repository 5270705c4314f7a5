// The histogram of the slice at the step.

import { html, nothing } from "lit-html";
import { choice } from "../../controls/choice.js";
import { styles } from "../../data/runs/runs.js";
import { set, setting, theme } from "../../data/view/view.js";
import { language } from "../../i18n/language.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { coverage } from "./coverage.js";
import { run, source } from "./displayed_slice.js";
import { measureHistogram, measurementOf } from "./measurement.js";
import { tag } from "./settings.js";
import { t } from "./words.js";
import "./tensor_bars.js";

const histogram = measurementOf(source, measureHistogram);
export const followHistogram = histogram.follow;

const scale = setting("tensor.counts", "linear", ["linear", "log"]);

export function histogramView() {
  const error = histogram.error.value;
  if (error) return html`<p class="tensor-note">${t("card.failed", { reason: error.message })}</p>`;
  const measurement = histogram.measurement.value;
  if (!measurement || !source.value) return html`<div class="tensor-chart bone"></div>`;
  const { result } = measurement;
  const { nan, posInf, negInf, finite } = result.extent;
  /** @type {import("./tensor_bars.js").Bars} */
  const bars = {
    histogram: result,
    isLog: scale.value === "log",
    colour: styles.value.get(run.value)?.colour ?? 0,
    label: t("tensor.histogram_of", { tag: tag.value }),
    theme: theme.value,
    lang: language.value,
  };
  return html`
    <div class="tensor-legend">${coverage(measurement)}
      ${
        finite
          ? html`<span
            class="meta">${t("tensor.from_to", {
              lo: shortNumber(result.extent.min, 5),
              hi: shortNumber(result.extent.max, 5),
            })}</span>`
          : nothing
      }
      ${
        nan + posInf + negInf
          ? html`<span class="meta non-finite"
            data-key="not-finite">${t("tensor.omitted", { n: grouped(nan + posInf + negInf) })}</span>`
          : nothing
      }
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
    ${
      finite
        ? html`<tensor-bars data-source=${measurement.key} .bars=${bars}></tensor-bars>`
        : html`<p class="tensor-note">${t("tensor.none_finite")}</p>`
    }`;
}
