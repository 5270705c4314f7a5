// One tensor in detail: heading, facts at the step, and one of four views.

import { html, nothing } from "lit-html";
import { empty, noRuns } from "../../controls/empty_state.js";
import { ICONS, swatch } from "../../controls/icons.js";
import { noneForRank, rankNote } from "../../controls/rank_choice.js";
import { nameOf } from "../../controls/run_name.js";
import { stepSlider } from "../../controls/step_slider.js";
import { DASHES } from "../../data/colours/run_styles.js";
import { styles } from "../../data/runs/runs.js";
import { cutGroup } from "../../data/tags/names.js";
import { set } from "../../data/view/view.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { wallTime } from "../../i18n/times.js";
import { differenceView } from "./difference_view.js";
import {
  entry,
  hasNumbers,
  missingStep,
  pointOf,
  run,
  runs,
  showStep,
  slice,
  stepIndex,
  steps,
  tags,
} from "./displayed_slice.js";
import { histogramView } from "./histogram_view.js";
import { npyAddress } from "./model/client.js";
import { printSlice } from "./model/slice.js";
import { close, tag, view } from "./settings.js";
import { sliceFields } from "./slice_fields.js";
import { statisticsView } from "./statistics_view.js";
import { tableView } from "./table_view.js";
import { t } from "./words.js";

/** @typedef {import("./series_steps.js").Entry} Entry */

const VIEWS = { table: tableView, stats: statisticsView, hist: histogramView, diff: differenceView };

export function detail() {
  const none = noRuns();
  if (none) return none;
  const shown = entry.value;
  if (!shown) return html`<section class="tensor" data-tag=${tag.value}>${heading(null)}${waiting()}</section>`;
  return html`
    <section class="tensor" data-tag=${tag.value} data-run=${run.value} data-step=${shown.step} data-view=${view.value}
      aria-label=${tag.value}>
      ${heading(shown)}
      <div class="tensor-controls">
        ${stepSlider({
          steps: (steps.entries.value ?? []).map(({ step }) => step),
          at: stepIndex.value,
          changed: showStep,
        })}
        ${stepNotes(shown)}
        ${view.value === "stats" ? nothing : sliceFields()}
      </div>
      ${
        hasNumbers.value || view.value === "stats"
          ? VIEWS[view.value]()
          : html`<p class="tensor-note">${t("tensor.no_numbers", { dtype: shown.dtype })}</p>`
      }
    </section>`;
}

/** Notes about the steps: a missing one, ones that are not listed, damaged ones.
 * @param {Entry} shown */
function stepNotes({ step }) {
  const [listed, total, damaged] = [steps.entries.value?.length ?? 0, steps.total.value, steps.damaged.value];
  return html`
    ${
      missingStep.value === null
        ? nothing
        : html`<span class="meta warned"
          data-note="unmet">${t("tensor.missing_step", {
            requested: grouped(missingStep.value),
            step: grouped(step),
          })}</span>`
    }
    ${
      steps.isIncomplete.value
        ? html`<span class="meta"
          data-note="listed">${t("step.listed", { shown: grouped(listed), total: grouped(total) })}</span>`
        : nothing
    }
    ${
      damaged
        ? html`<span class="meta damage" data-note="damaged">${t("step.damaged", { n: damaged })}</span>`
        : nothing
    }`;
}

function waiting() {
  const error = steps.error.value;
  if (error) return empty("failed", t("tensor.failed"), error.message);
  if (tags.rows.value && !run.value) return empty("not_here", t("tensor.no_visible_run"), nothing);
  const listing = steps.listing.value;
  return steps.entries.value
    ? empty("no_points", (listing && noneForRank(listing)) || t("tensor.no_points"), nothing)
    : html`<div class="tensor-chart bone" data-state="waiting"></div>`;
}

/** @param {Entry | null} shown */
function heading(shown) {
  const [group, leaf] = cutGroup(tag.value);
  return html`
    <header class="tensor-head">
      <button class="quiet" data-key="back" title=${t("tensor.back")} aria-label=${t("tensor.back")}
        @click=${close}>${ICONS.chevron}</button>
      <h2 title=${tag.value}>${
        group ? html`<span class="path">${group}</span>` : nothing
      }<span class="leaf">${leaf}</span></h2>
      ${runChoice()}${steps.listing.value ? rankNote(steps.listing.value) : nothing}
      ${
        shown
          ? html`<code class="tensor-shape" data-dims=${JSON.stringify(shown.dims)}>${shapeOf(shown)}</code>
        <span class="meta">${typeof shown.wall_time === "number" ? wallTime(shown.wall_time) : nothing}</span>
        <span class="space"></span>${hasNumbers.value ? downloads(shown) : nothing}`
          : nothing
      }
    </header>
    ${shown && hasNumbers.value ? facts(shown) : nothing}`;
}

/** @param {Entry} entry */
export const shapeOf = ({ dims, dtype }) =>
  `${dims.length ? dims.map(String).join(" × ") : t("tensor.scalar")}  ${dtype}`;

function runChoice() {
  const style = styles.value.get(run.value) ?? { colour: 0, dash: 0 };
  const chosen = (/** @type {Event} */ event) =>
    set({ "tensor.run": /** @type {HTMLSelectElement} */ (event.target).value });
  return html`<label class="tensor-run">${swatch(style, DASHES[style.dash])}
    <select data-key="run" aria-label=${t("tensor.run")} .value=${run.value} @change=${chosen}>
      ${runs.value.map((name) => html`<option value=${name} ?selected=${name === run.value}>${nameOf(name)}</option>`)}
    </select></label>`;
}

/** @param {Entry} shown */
function downloads(shown) {
  const parts = slice.value?.parts ?? [];
  const from = pointOf(run.value, shown);
  const isPart = parts.some(({ count }, dim) => count < shown.dims[dim]);
  return html`<span class="downloads">
    ${
      isPart
        ? html`<a class="quiet text-link" data-key="npy-slice" download
          href=${`./api/${npyAddress(from, printSlice(parts))}`}
          title=${t("tensor.npy_slice_hint")}>${ICONS.csv}${t("tensor.npy_slice")}</a>`
        : nothing
    }
    <a class="quiet text-link" data-key="npy" download href=${`./api/${npyAddress(from)}`}
      title=${t("tensor.npy_hint")}>${ICONS.csv}${t("tensor.npy")}</a></span>`;
}

/** Counts of non-finite elements. */
const NOT_FINITE = /** @type {const} */ ([
  ["nan_count", "NaN"],
  ["pos_inf_count", "+∞"],
  ["neg_inf_count", "−∞"],
]);

/** @param {Entry} shown */
const facts = (shown) => html`
  <dl class="tensor-facts">
    ${fact("count", t("tensor.count"), grouped(shown.count))}
    ${
      /** @type {const} */ (["min", "mean", "max"]).map((name) =>
        fact(name, t(`tensor.${name}`), shown[name] === null ? "–" : shortNumber(Number(shown[name]), 6)),
      )
    }
    ${NOT_FINITE.map(([name, sign]) => (shown[name] ? fact(name, sign, grouped(shown[name]), true) : nothing))}
    ${
      shown.count && NOT_FINITE.every(([name]) => !shown[name])
        ? html`<div><dt>${t("tensor.all_finite")}</dt><dd></dd></div>`
        : nothing
    }
  </dl>`;

/** @param {string} key @param {string} name @param {string} text @param {boolean} [isBad] */
const fact = (key, name, text, isBad = false) =>
  html`<div data-fact=${key} class=${isBad ? "non-finite" : ""}><dt>${name}</dt><dd>${text}</dd></div>`;
