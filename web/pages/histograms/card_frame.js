// The template of a card: tag, plots with run names, step counts, legend and notes.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { nonFiniteCount, rowAtStep, unbucketed } from "../../charts/histogram/buckets.js";
import { tagTitle } from "../../controls/card_parts.js";
import { failedCard } from "../../controls/failure.js";
import { ICONS, swatch } from "../../controls/icons.js";
import { noneForRank, rankNote } from "../../controls/rank_choice.js";
import { nameOf, runName } from "../../controls/run_name.js";
import { DASHES } from "../../data/colours/run_styles.js";
import { styles } from "../../data/runs/runs.js";
import { change, opened, theme } from "../../data/view/view.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { scaleGradient } from "./draw/colours.js";
import { MAX_RUNS } from "./model/plans.js";
import { t } from "./words.js";
import "./histogram_plot.js";
import { isTogether, mode, pageStep } from "./settings.js";
import { table, tableSwitch } from "./table.js";

/** @typedef {import("../../data/tags/listing.js").Listing} Listing */
/** @typedef {import("../../charts/histogram/buckets.js").Line} Line */
/** @typedef {import("../../charts/histogram/frame.js").Plan} Plan */

/** @typedef {object} CardModel
 * @property {string} tag
 * @property {Listing[]} listings of the visible runs
 * @property {Plan[]} plans of the runs whose listing is loaded
 * @property {Line[]} lines
 * @property {import("./model/plans.js").Scales} common
 * @property {import("./model/plans.js").Scales[] | null} own the scales of each run; null = all have the common ones
 * @property {string[]} diverged the runs that have scales of their own while the others share theirs
 * @property {number} runs with the tag, drawn or not
 * @property {import("@preact/signals-core").Signal<boolean>} tableShown */

/** More runs in one plot are shown by their line styles alone. */
const MAX_NAMED = 4;

/** @param {CardModel} model */
export function cardFrame(model) {
  return html`
    <div class="hist-card">
      <header>
        ${tagTitle(model.tag)}
        ${enlargeButton(model.tag)}
      </header>
      ${
        isTogether.value
          ? overlaid(model)
          : html`<div class="hist-panes">${repeat(
              model.listings,
              ({ query }) => query?.run,
              (listing) => pane(model, listing),
            )}</div>`
      }
      <div class="hist-foot">${tableSwitch(model.tableShown)}${legend(model)}<span
        class="space"></span>${notes(model)}</div>
      ${model.tableShown.value ? table(model.lines) : nothing}
    </div>`;
}

/** @param {string} tag */
function enlargeButton(tag) {
  const enlarged = opened.value === tag;
  const label = t(enlarged ? "hist.shrink" : "hist.enlarge");
  return html`<div class="actions"><button class="quiet" data-key="enlarge" title=${label} aria-label=${label}
    aria-pressed=${enlarged}
    @click=${() => change({ open: enlarged ? "" : tag })}>${enlarged ? ICONS.shrink : ICONS.enlarge}</button></div>`;
}

/** The plot of one run, with its name.
 * @param {CardModel} model @param {Listing} listing */
function pane(model, listing) {
  const run = listing.query?.run ?? "";
  const plan = model.plans.find(({ lines }) => lines[0].run === run);
  return html`<figure class="hist-pane" data-run=${run}>
    <figcaption>${nameWithStyle(run)}${rankNote(listing)}<span class="space"></span>${
      model.diverged.includes(run)
        ? html`<span class="meta" data-note="diverged" title=${t("hist.diverged_hint")}>${t("hist.own")}</span>`
        : nothing
    }${downsampledNote([listing])}</figcaption>
    ${plot(model, plan, nameOf(run))}
    ${state([listing], plan)}
  </figure>`;
}

/** All runs in one plot.
 * @param {CardModel} model */
function overlaid(model) {
  const atOneStep =
    new Set(model.lines.map(({ rows }) => rows[rowAtStep(rows, pageStep.shared.value ?? Infinity)]?.step)).size === 1;
  const key = model.listings.length > MAX_NAMED ? runSwatch : runKey;
  return html`<figure class="hist-pane">
  <figcaption><span class="runs">${model.listings.map((listing) => key(model, listing, atOneStep))}</span>
    <span class="space"></span>
    ${
      atOneStep && model.listings.length ? shownStep(model, model.listings[0]) : nothing
    }${downsampledNote(model.listings)}</figcaption>
  ${plot(model, model.plans[0], t("hist.runs", { n: model.lines.length }))}
  ${state(model.listings, model.plans[0])}
</figure>`;
}

/** @param {CardModel} model @param {Plan | undefined} plan @param {string} whose */
function plot({ tag }, plan, whose) {
  const n = plan ? Math.max(...plan.lines.map(({ rows }) => rows.length)) : 0;
  const label = t("hist.chart", { tag, run: whose, n });
  return html`<div class="plot-room">${
    plan
      ? html`<histogram-plot tabindex="0" role="img" aria-label=${label}
        .drawn=${{ plan, mode: mode.value }}></histogram-plot>`
      : nothing
  }</div>`;
}

/** @param {CardModel} model @param {Listing} listing @param {boolean} atOneStep */
const runKey = (model, listing, atOneStep) => html`
  <span class="run-key">${nameWithStyle(listing.query?.run ?? "")}${
    noneForRank(listing) ? html`<span class="meta">${noneForRank(listing)}</span>` : rankNote(listing)
  }${atOneStep ? nothing : shownStep(model, listing)}</span>`;

/** The line style of a run, where names would need more room than the plot: the run list and the read-out have them.
 * @param {CardModel} model @param {Listing} listing @param {boolean} atOneStep */
function runSwatch({ lines }, listing, atOneStep) {
  const run = listing.query?.run ?? "";
  const style = styleOf(run);
  const step = atOneStep ? undefined : shownRow(lines, run)?.step;
  const label = [nameOf(run), noneForRank(listing), step === undefined ? "" : t("step.at", { step: grouped(step) })];
  const text = label.filter(Boolean).join(" · ");
  return html`<span class="run-key" role="img" data-run=${run} title=${text}
    aria-label=${text}>${swatch(style, DASHES[style.dash])}</span>`;
}

/** @param {string} run */
const styleOf = (run) => styles.value.get(run) ?? { colour: 0, dash: 0 };

/** @param {string} run */
const nameWithStyle = (run) => html`${swatch(styleOf(run), DASHES[styleOf(run).dash])}${runName(run)}`;

/** The row that a run shows of a single step.
 * @param {Line[]} lines @param {string} run */
function shownRow(lines, run) {
  const rows = lines.find((line) => line.run === run)?.rows ?? [];
  return rows[rowAtStep(rows, pageStep.shared.value ?? Infinity)];
}

/** The shown step of a run, since runs may have different steps.
 * @param {CardModel} model @param {Listing} listing */
function shownStep({ lines }, listing) {
  if (mode.value !== "single") return nothing;
  const row = shownRow(lines, listing.query?.run ?? "");
  return row
    ? html`<span class="meta" data-step=${row.step}>${t("step.at", { step: grouped(row.step) })}</span>`
    : nothing;
}

/** The note that not every step is drawn.
 * @param {Listing[]} listings */
function downsampledNote(listings) {
  const replies = listings.flatMap(({ reply }) => reply.value ?? []);
  const drawn = replies.reduce((sum, { histograms, damaged }) => sum + histograms.length + damaged, 0);
  const total = replies.reduce((sum, reply) => sum + reply.total, 0);
  const counts = { drawn: grouped(drawn), total: grouped(total) };
  if (drawn === total) return nothing;
  return html`<span class="meta" data-note="downsampled"
    title=${t("hist.listed_hint", counts)}>${t("hist.listed", counts)}</span>`;
}

/** The reason why there is no plot: failed, loading or no values.
 * @param {Listing[]} listings @param {Plan | undefined} plan */
function state(listings, plan) {
  const failed = listings.filter(({ error }) => error.value);
  const retryAll = () => {
    for (const listing of failed) listing.retry();
  };
  if (failed.length) return failedCard(failed[0].error.value, retryAll);
  if (!plan) return html`<div class="state bone" data-state="waiting"></div>`;
  const isEmpty = shownRows(plan.lines).every((row) => !row.total);
  return isEmpty
    ? html`<div class="state"
      data-state="no_values">${listings.map(noneForRank).find(Boolean) || t("hist.no_values")}</div>`
    : nothing;
}

/** The drawn rows: all, or the shown step of each run.
 * @param {Line[]} lines */
const shownRows = (lines) =>
  lines.flatMap(({ rows }) =>
    mode.value === "single" ? (rows[rowAtStep(rows, pageStep.shared.value ?? Infinity)] ?? []) : rows,
  );

/** The legend of colours, bands and bins, and the number of clipped values.
 * @param {CardModel} model */
function legend({ common, own }) {
  const beyond = (own ?? [common]).reduce((sum, scales) => sum + scales.beyond, 0);
  const text = t("hist.trimmed", { n: grouped(Math.ceil(beyond)) });
  return html`${own ? ownLegend(common) : scaleLegend(common)}${
    beyond
      ? html`<span data-note="trimmed" data-beyond=${beyond} title=${t("hist.trimmed_hint")}>${text}</span>`
      : nothing
  }`;
}

/** @param {CardModel["common"]} common */
const binNote = ({ grid }) =>
  html`<span data-note="bins" title=${t("hist.bins_hint", { n: grid.bins })}>${t("hist.bins", { n: grid.bins })}</span>`;

/** @param {CardModel["common"]} common */
const ownLegend = (common) =>
  html`<span data-note="own" title=${t("hist.own_hint")}>${t("hist.own_scales")}</span>${binNote(common)}`;

/** @param {CardModel["common"]} common */
function scaleLegend(common) {
  const { scaleTop, largest } = common;
  const bins = binNote(common);
  if (mode.value === "bands") return html`<span title=${t("hist.bands_hint")}>${t("hist.percent_of_values")}</span>`;
  if (mode.value === "single") return bins;
  const isCut = scaleTop < largest;
  const counts = { scaleTop: shortNumber(scaleTop), largest: shortNumber(largest) };
  const cut = isCut
    ? html`<span data-note="cut" title=${t("hist.cut_hint", counts)}>${t("hist.cut", counts)}</span>`
    : nothing;
  if (mode.value !== "heat") return html`${bins}${cut}`;
  return html`<span class="hist-scale" title=${t("hist.count")}>&gt; 0<i
    style="background:${scaleGradient(theme.value === "dark")}"></i>
    ${isCut ? "≥ " : ""}${counts.scaleTop}</span>${bins}${cut}`;
}

/** @param {CardModel} model */
function notes({ lines, listings, runs }) {
  const rows = shownRows(lines);
  const total = (/** @type {(row: import("../../charts/histogram/buckets.js").Distribution) => number} */ count) =>
    rows.reduce((sum, row) => sum + count(row), 0);
  const nan = total((row) => row.nan);
  const infinite = total((row) => row.posInf + row.negInf);
  const steps = rows.filter((row) => nonFiniteCount(row)).length;
  const unplacedCount = total(unbucketed);
  const replies = listings.flatMap(({ reply }) => reply.value ?? []);
  const damaged = replies.reduce((sum, reply) => sum + reply.damaged, 0);
  const repeated =
    replies.reduce((sum, reply) => sum + reply.histograms.length, 0) -
    lines.reduce((sum, line) => sum + line.rows.length, 0);
  const kinds = [nan && t("hist.nan", { n: grouped(nan) }), infinite && t("hist.infinite", { n: grouped(infinite) })];
  return html`
    ${
      steps
        ? html`<span class="non-finite" data-note="non_finite" title=${t("hist.non_finite_hint")}>
      ${kinds.filter(Boolean).join(", ")} ${t("hist.in_steps", { n: steps })}</span>`
        : nothing
    }
    ${
      unplacedCount
        ? html`<span class="warned" data-note="unplaced" title=${t("hist.unplaced_hint")}>
      ${t("hist.unplaced", { n: grouped(unplacedCount) })}</span>`
        : nothing
    }
    ${damaged ? html`<span class="warned" data-note="damaged">${t("hist.damaged", { n: damaged })}</span>` : nothing}
    ${
      repeated > 0
        ? html`<span data-note="repeated"
          title=${t("hist.repeated_hint")}>${t("hist.repeated", { n: repeated })}</span>`
        : nothing
    }
    ${
      runs > MAX_RUNS
        ? html`<span class="warned" data-note="more_runs">${t("hist.more_runs", { n: runs - MAX_RUNS })}</span>`
        : nothing
    }`;
}
