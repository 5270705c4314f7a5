// Parts of cards with a step: header, title of a run, slider.

import { html, nothing } from "lit-html";
import { DASHES } from "../data/colours/run_styles.js";
import { startOf, styles } from "../data/runs/runs.js";
import { set, setting } from "../data/view/view.js";
import { grouped } from "../i18n/numbers.js";
import { duration, wallTime } from "../i18n/times.js";
import { t } from "../i18n/words.js";
import { failedCell } from "./failure.js";
import { ICONS, swatch } from "./icons.js";
import { noneForRank } from "./rank_choice.js";
import { runName } from "./run_name.js";
import { stepSlider } from "./step_slider.js";
import { indexAtOrBefore } from "./steps.js";
import { tagParts } from "./tag_name.js";

/** @typedef {import("./page_step.js").PageStep} PageStep */
/** @typedef {import("./stepped_card.js").SteppedCard<any>} SteppedCard */

/** @param {string} tag */
export const tagTitle = (tag) => html`<h3 title=${tag}>${tagParts(tag)}</h3>`;

/** @param {SteppedCard} card @param {unknown} actions */
export const cardHead = (card, actions) =>
  html`<header>${tagTitle(card.tag)}${listedNote(card)}<div class="actions">${actions}</div></header>`;

/** @param {string} key @param {string} label @param {unknown} sign @param {() => void} act
 * @param {boolean} [pressed] */
export const action = (key, label, sign, act, pressed = false) =>
  html`<button class="quiet" data-key=${key} title=${label} aria-label=${label} aria-pressed=${pressed}
    @click=${act}>${sign}</button>`;

/** The number of damaged points, and of listed steps with a button to list all.
 * @param {SteppedCard} card */
function listedNote(card) {
  const { total, listed, damaged } = card.counts.value;
  const every = `${card.source.page.page}.every`;
  const text = t("step.listed", { shown: grouped(listed), total: grouped(total) });
  const isComplete = setting(every, "").value !== "";
  return html`
    ${
      damaged
        ? html`<span class="meta damage" data-note="damaged">${t("step.damaged", { n: damaged })}</span>`
        : nothing
    }
    ${
      listed === total
        ? nothing
        : isComplete
          ? html`<span class="meta" data-note="listed">${text}</span>`
          : html`<button class="text" data-note="listed" title=${t("step.every")}
            @click=${() => set({ [every]: "1" })}>${text}</button>`
    }`;
}

/** The name of a run with its line style.
 * @param {string} run */
export function runTitle(run) {
  const style = styles.value.get(run) ?? { colour: 0, dash: 0 };
  return html`${swatch(style, DASHES[style.dash])}${runName(run)}`;
}

/** The step that a cell shows, with its times; highlighted if it is not the selected one.
 * @param {string} run @param {{step: number, wallTime: number}} moment @param {number} selected */
export function stepOf(run, { step, wallTime: seconds }, selected) {
  const isEarlier = Number.isFinite(selected) && step !== selected;
  const times = `${wallTime(seconds)} · ${duration(seconds - startOf(run))}`;
  return html`<span class="own-step ${isEarlier ? "earlier" : ""}" title=${
    isEarlier ? `${t("step.earlier", { step: grouped(selected) })}\n${times}` : times
  }>${t("step.at", { step: grouped(step) })}</span>`;
}

/** A card's own slider: using it detaches the card from the page's step.
 * @param {SteppedCard} card */
export function cardSlider(card) {
  const { page } = card.source;
  const steps = card.steps.value;
  const own = page.own(card.tag);
  if (steps.length < 2 && own === null) return nothing;
  return html`
    <footer data-own=${own !== null}>
      ${stepSlider({
        steps,
        at: Math.max(0, indexAtOrBefore(steps, page.at(card.tag))),
        changed: (place) => page.setOwn(card.tag, steps[place]),
        label: t("step.card", { tag: card.tag }),
        key: "card-step",
      })}
      ${
        own === null
          ? nothing
          : html`<button class="quiet follow" data-key="follow" title=${t("step.follow")} aria-label=${t("step.follow")}
            @click=${() => page.setOwn(card.tag, null)}>${ICONS.reset}</button>`
      }
    </footer>`;
}

/** The slider of the page, in its toolbar.
 * @param {PageStep} page */
export function pageSlider(page) {
  const steps = page.steps.value;
  const at = Math.max(0, indexAtOrBefore(steps, page.shared.value ?? Infinity));
  return html`<div class="page-step" data-empty=${steps.length === 0} title=${t("step.page_hint")}>
    ${stepSlider({ steps, at, changed: (place) => page.choose(place), label: t("step.page"), key: "page-step" })}
    <span class="meta latest" data-latest=${page.shared.value === null}>${
      page.shared.value === null && steps.length ? t("step.latest") : ""
    }</span>
  </div>`;
}

/** Why a cell is empty; null if it is not.
 * @param {import("./stepped_card.js").Cell<{step: number}>} cell @param {unknown} moment */
export function cellState({ listing, moments }, moment) {
  if (moment) return null;
  if (moments.value.length)
    return html`<p class="cell-state"
      data-state="later">${t("step.later", { step: grouped(moments.value[0].step) })}</p>`;
  if (listing.error.value) return failedCell(listing.error.value, () => listing.retry());
  if (!listing.reply.value) return html`<div class="bone cell-bone" data-state="waiting"></div>`;
  return html`<p class="cell-state" data-state="nothing">${noneForRank(listing) || t("step.none_here")}</p>`;
}
