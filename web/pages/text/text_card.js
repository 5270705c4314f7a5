// A card of texts: one tag, all runs side by side at one step.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { action, cardHead, cardSlider, cellState, runTitle, stepOf } from "../../controls/card_parts.js";
import { copyButton } from "../../controls/copy_button.js";
import { ICONS } from "../../controls/icons.js";
import { textBody } from "../../controls/markdown/text_body.js";
import { rankNote } from "../../controls/rank_choice.js";
import { SteppedCard } from "../../controls/stepped_card.js";
import { change, opened } from "../../data/view/view.js";
import { sampleSearch } from "./samples/sample_search.js";
import { mayBeSamples, textSamples } from "./samples/text_samples.js";
import { isRaw, textRanks, textStep } from "./text_settings.js";
import { t } from "./words.js";

/** The text is null if it is long. @typedef {{text: string | null, dims: number[], texts: string[]}} Recorded */
/** @typedef {Recorded & {step: number, wall_time: number}} TextEntry */
/** @typedef {Recorded & {step: number, wallTime: number}} Moment */
/** @typedef {import("../../controls/stepped_card.js").Cell<Moment>} Cell */

/** Bytes of a text that is fetched with the list of steps; a longer one is fetched for the step that is shown. */
const LONGEST = 1 << 14;

/** @extends SteppedCard<Moment> */
class TextCard extends SteppedCard {
  get source() {
    return { kind: /** @type {const} */ ("text"), page: textStep, ranks: textRanks };
  }

  get parameters() {
    return { longest: LONGEST };
  }

  /** If a step has several texts, the last one is shown.
   * @param {{texts: TextEntry[]}} reply */
  momentsOf({ texts }) {
    const moments = texts.map(({ wall_time: wallTime, ...text }) => ({ ...text, wallTime }));
    return moments.filter(({ step }, place) => step !== moments[place + 1]?.step);
  }

  template() {
    const isOpen = opened.value === this.tag;
    this.classList.toggle("enlarged", isOpen);
    const step = textStep.at(this.tag);
    const enlarge = () => change({ open: isOpen ? null : this.tag });
    return html`
      ${cardHead(
        this,
        html`${sampleSearch()}${action(
          "enlarge",
          t(isOpen ? "text.shrink" : "text.enlarge"),
          isOpen ? ICONS.shrink : ICONS.enlarge,
          enlarge,
          isOpen,
        )}`,
      )}
      <div class="cells">${repeat(
        this.cells.value,
        (cell) => cell.run,
        (cell) => this.#cell(cell, step),
      )}</div>
      ${cardSlider(this)}`;
  }

  /** @param {Cell} cell @param {number} step */
  #cell(cell, step) {
    const moment = this.momentAt(cell, step);
    const selected = textStep.own(this.tag) ?? textStep.shared.value ?? Infinity;
    return html`
      <article class="cell" data-run=${cell.run} data-step=${moment?.step ?? ""}>
        <div class="caption">${runTitle(cell.run)}${rankNote(cell.listing)}${
          moment ? stepOf(cell.run, moment, selected) : nothing
        }
          ${copyable(moment)}
        </div>
        ${cellState(cell, moment) ?? this.#body(cell.run, /** @type {Moment} */ (moment))}
      </article>`;
  }

  /** @param {string} run @param {Moment} moment */
  #body(run, moment) {
    const { text, dims, texts } = moment;
    if (text !== null && (isRaw.value || texts.length || !mayBeSamples(text)))
      return textBody(this.tag, { text, dims, texts }, isRaw.value);
    const runs = this.cells.value.map((cell) => ({ run: cell.run, steps: cell.moments.value.map(({ step }) => step) }));
    return textSamples(this.tag, run, moment, runs);
  }
}

/** @param {Moment | undefined} moment */
function copyable(moment) {
  const text = moment?.text;
  return typeof text === "string" ? copyButton(t("text.copy"), () => text) : nothing;
}

customElements.define("text-card", TextCard);
