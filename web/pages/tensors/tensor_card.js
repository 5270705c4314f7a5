// A card of the list: one tag, with the shape, range and sparkline of each run that has it.

import { effect } from "@preact/signals-core";
import { html, nothing, render, svg } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { tagTitle } from "../../controls/card_parts.js";
import { ICONS, swatch } from "../../controls/icons.js";
import { LazyCard } from "../../controls/lazy_card.js";
import { noneForRank, rankNote } from "../../controls/rank_choice.js";
import { nameOf, runName } from "../../controls/run_name.js";
import { DASHES } from "../../data/colours/run_styles.js";
import { styles } from "../../data/runs/runs.js";
import { Listing } from "../../data/tags/listing.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { shapeOf } from "./detail.js";
import { sparklinePaths, statisticOf } from "./model/statistic_series.js";
import { open, ranks } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./series_steps.js").Entry} Entry */

/** Runs on a card; the detail view has all of them. */
const MAX_RUNS = 6;
const SPARKLINE = { width: 120, height: 32 };

class TensorCard extends LazyCard {
  tag = "";
  /** @type {string[]} */
  #runs = [];
  /** @type {Map<string, Listing>} */
  #listings = new Map();

  /** @param {string[]} runs that have the tag */
  set runs(runs) {
    const isSame = JSON.stringify(runs) === JSON.stringify(this.#runs);
    this.#runs = runs;
    this.style.setProperty("--runs", String(Math.min(runs.length, MAX_RUNS)));
    if (isSame || !this.isActive) return;
    this.deactivate();
    this.activate();
  }

  begin() {
    const shown = this.#runs.slice(0, MAX_RUNS);
    for (const run of shown)
      if (!this.#listings.has(run)) this.#listings.set(run, new Listing("tensors", { run, tag: this.tag }));
    return [
      effect(() => {
        const query = ranks.query.value;
        for (const run of shown) this.#listings.get(run)?.setQuery({ run, tag: this.tag, ...query });
      }),
      ...shown.map((run) => /** @type {Listing} */ (this.#listings.get(run)).observe()),
      effect(() => void render(this.#template(shown), this)),
    ];
  }

  /** @param {string[]} shown */
  #template(shown) {
    const more = this.#runs.length - shown.length;
    return html`
      <header>${tagTitle(this.tag)}
        ${more > 0 ? html`<span class="meta">${t("read.more", { n: more })}</span>` : nothing}</header>
      <ul>${repeat(
        shown,
        (run) => run,
        (run) => html`<li>${this.#row(run)}</li>`,
      )}</ul>`;
  }

  /** @param {string} run */
  #row(run) {
    const listing = /** @type {Listing} */ (this.#listings.get(run));
    /** @type {Entry[]} */
    const entries = listing.reply.value?.tensors ?? [];
    const last = entries.at(-1);
    const damaged = listing.reply.value?.damaged ?? 0;
    const style = styles.value.get(run) ?? { colour: 0, dash: 0 };
    return html`
      <button class="tensor-row" data-run=${run} data-step=${last?.step ?? ""}
        title=${t("tensor.open", { tag: this.tag, run: nameOf(run) })} @click=${() => open(this.tag, run)}>
        ${swatch(style, DASHES[style.dash])}
        ${runName(run)}
        <span class="meta">${rankNote(listing)} ${
          damaged ? html`<span class="damage" data-note="damaged">${t("step.damaged", { n: damaged })}</span>` : nothing
        } ${last ? t("step.at", { step: grouped(last.step) }) : nothing}</span>
        ${
          last
            ? this.#facts(entries, last, style.colour)
            : html`<span
              class="facts meta">${
                listing.error.value?.message ??
                (listing.reply.value ? noneForRank(listing) || t("tensor.no_points") : "")
              }</span>`
        }
      </button>`;
  }

  /** @param {Entry[]} entries @param {Entry} last @param {number} colour */
  #facts(entries, last, colour) {
    const bad = statisticOf(last, "not_finite");
    return html`
      <span class="facts"><span class="extent"><code>${shapeOf(last)}</code>
          ${
            bad
              ? html`<span class="non-finite">${ICONS.warning}${t("tensor.non_finite", { n: grouped(bad) })}</span>`
              : nothing
          }</span>
        <span class="extent">${
          last.count
            ? /** @type {const} */ (["min", "mean", "max"]).map(
                (name) =>
                  html`<span><i>${t(`tensor.${name}`)}</i>${
                    last[name] === null ? "–" : shortNumber(statisticOf(last, name))
                  }</span>`,
              )
            : nothing
        }</span></span>
      ${sparkline(entries, colour)}`;
  }
}

/** A band from min to max, a line for the mean, and ticks at steps with NaN or infinity.
 * @param {Entry[]} entries @param {number} colour */
function sparkline(entries, colour) {
  const drawn = entries.length > 1 ? sparklinePaths(entries, SPARKLINE.width, SPARKLINE.height - 4) : null;
  if (!drawn) return nothing;
  return html`<svg class="spark" viewBox="0 0 ${SPARKLINE.width} ${SPARKLINE.height}" preserveAspectRatio="none"
    style="--run:var(--run-${colour + 1})" aria-hidden="true">
    <path class="band" d=${drawn.band}/><path class="mean" d=${drawn.mean}/>
    ${
      drawn.bad.length
        ? svg`<path class="bad" d=${drawn.bad.map((x) => `M${x} ${SPARKLINE.height - 3}v3`).join("")}/>`
        : nothing
    }</svg>`;
}

customElements.define("tensor-card", TensorCard);
