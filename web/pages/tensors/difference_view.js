// The difference of the tensor and another one: the same tag at another step or in another run.

import { html, nothing } from "lit-html";
import { swatch } from "../../controls/icons.js";
import { nameOf } from "../../controls/run_name.js";
import { stepSlider } from "../../controls/step_slider.js";
import { DASHES } from "../../data/colours/run_styles.js";
import { styles } from "../../data/runs/runs.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { coverage } from "./coverage.js";
import {
  differenceProblem,
  differenceSource,
  entry,
  otherEntries,
  otherEntry,
  otherRun,
  run,
  runs,
  steps,
} from "./displayed_slice.js";
import { measureDistance, measurementOf } from "./measurement.js";
import { cellOf, indexAt, layoutOf } from "./model/layout.js";
import { numberOf } from "./series_steps.js";
import { against, compareWith, parseAgainst } from "./settings.js";
import { elementTable } from "./table_view.js";
import { t } from "./words.js";

const distance = measurementOf(differenceSource, measureDistance);
export const followDifference = distance.follow;

export function differenceView() {
  const problem = differenceProblem.value;
  return html`
    <div class="tensor-against">
      <span class="meta">${t("tensor.difference_to")}</span>
      ${otherRunChoice()}
      ${otherStepChoice()}
    </div>
    ${
      problem
        ? html`<p class="tensor-note" data-state=${`no_difference_${problem}`}>${differenceProblemText(problem)}</p>`
        : difference()
    }`;
}

/** @param {"none" | "dims"} why */
function differenceProblemText(why) {
  if (why === "none")
    return t(steps.entries.value?.length === 1 && otherRun.value === run.value ? "tensor.one_step" : "tensor.no_other");
  const dims = (/** @type {number[] | undefined} */ sizes) => `[${(sizes ?? []).join(", ")}]`;
  return t("tensor.other_dims", { here: dims(entry.value?.dims), there: dims(otherEntry.value?.dims) });
}

function otherRunChoice() {
  const style = styles.value.get(otherRun.value) ?? { colour: 0, dash: 0 };
  const chosen = (/** @type {Event} */ event) => {
    const name = /** @type {HTMLSelectElement} */ (event.target).value;
    compareWith(null, name === run.peek() ? "" : name);
  };
  return html`<label class="tensor-run">${swatch(style, DASHES[style.dash])}
    <select data-key="other-run" aria-label=${t("tensor.other_run")} @change=${chosen}>
      ${[...new Set([otherRun.value, ...runs.value])].map(
        (name) => html`<option value=${name} ?selected=${name === otherRun.value}>${nameOf(name)}</option>`,
      )}
    </select></label>`;
}

function otherStepChoice() {
  const entries = otherEntries.value ?? [];
  const isFixed = parseAgainst(against.value).step !== null;
  const isSameRun = otherRun.value === run.value;
  const name = isSameRun ? "" : otherRun.value;
  const defaultLabel = t(isSameRun ? "tensor.previous" : "tensor.same_step");
  const shown = otherEntry.value;
  return html`
    <button class="plain" data-key="default-step" aria-pressed=${!isFixed}
      @click=${() => compareWith(isFixed ? null : (shown?.step ?? null), name)}>${defaultLabel}</button>
    ${stepSlider({
      steps: entries.map(({ step }) => step),
      at: shown ? entries.indexOf(shown) : 0,
      changed: (index) => compareWith(entries[index].step, name),
      label: t("tensor.other_step"),
      key: "other-step",
    })}`;
}

function difference() {
  const from = differenceSource.value;
  if (!from) return nothing;
  const measurement = distance.measurement.value;
  const isCurrent = measurement?.key === from.key;
  const reach = measurement ? measurement.result.max : NaN;
  const error = distance.error.value;
  return html`
    ${
      error
        ? html`<p class="tensor-note">${t("card.failed", { reason: error.message })}</p>`
        : measurement
          ? facts(measurement)
          : html`<dl class="tensor-facts"><div><dt>…</dt><dd></dd></div></dl>`
    }
    ${elementTable({
      from,
      min: reach > 0 ? -reach : reach,
      max: reach,
      magnitude: largestMagnitude(entry.value),
      note: measurement && isCurrent ? coverage(measurement) : nothing,
    })}`;
}

/** An estimate of the size of the differences, used until they are measured.
 * @param {import("./series_steps.js").Entry | null} shown */
const largestMagnitude = (shown) =>
  Math.max(Math.abs(numberOf(shown?.min ?? 0)), Math.abs(numberOf(shown?.max ?? 0))) || 0;

/** @param {import("./measurement.js").Measurement<import("./model/statistics.js").Distance>} measurement */
function facts({ parts, result, covered, total }) {
  const { count, sum, max, maxIndex, unequal, notComparable } = result;
  const compared = count - notComparable;
  const layout = layoutOf(parts);
  const index = maxIndex >= 0 ? indexAt(layout, ...cellOf(layout, maxIndex)) : null;
  return html`
    <dl class="tensor-facts" data-mean=${sum / compared} data-max=${max} data-unequal=${unequal}>
      <div><dt>${t("tensor.mean_difference")}</dt><dd>${compared ? shortNumber(sum / compared, 6) : "–"}</dd></div>
      <div><dt>${t("tensor.max_difference")}</dt><dd>${compared ? shortNumber(max, 6) : "–"}${
        index?.length ? maxLocation(index, covered === total ? maxIndex : null) : nothing
      }</dd></div>
      <div><dt>${t("tensor.unequal")}</dt><dd>${t("tensor.count_of", {
        n: grouped(unequal),
        all: grouped(compared),
      })}</dd></div>
      ${
        notComparable
          ? html`<div class="non-finite"
            data-fact="apart"><dt>${t("tensor.not_comparable")}</dt><dd>${grouped(notComparable)}</dd></div>`
          : nothing
      }
    </dl>`;
}

/** The index of the largest difference, with a link to it if it is the n-th element of the table.
 * @param {number[]} index @param {number | null} n */
function maxLocation(index, n) {
  const text = t("tensor.at", { index: `[${index.join(", ")}]` });
  const go = () =>
    /** @type {{goToElement: (n: number) => void} & Element | null} */ (
      document.querySelector("tensor-table")
    )?.goToElement(n ?? 0);
  return n === null
    ? html` <span class="meta">${text}</span>`
    : html` <button class="text" data-key="largest" title=${t("tensor.go_to_element")} @click=${go}>${text}</button>`;
}
