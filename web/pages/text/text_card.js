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
import { isRaw, textRanks, textStep } from "./text_settings.js";
import { t } from "./words.js";

/** @typedef {{step: number, wall_time: number, text: string, dims: number[], texts: string[]}} TextEntry */
/** @typedef {{step: number, wallTime: number, text: string, dims: number[], texts: string[]}} Moment */
/** @typedef {import("../../controls/stepped_card.js").Cell<Moment>} Cell */

/** @extends SteppedCard<Moment> */
class TextCard extends SteppedCard {
  get source() {
    return { kind: /** @type {const} */ ("text"), page: textStep, ranks: textRanks };
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
        action(
          "enlarge",
          t(isOpen ? "text.shrink" : "text.enlarge"),
          isOpen ? ICONS.shrink : ICONS.enlarge,
          enlarge,
          isOpen,
        ),
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
          ${moment ? copyButton(t("text.copy"), () => moment.text) : nothing}
        </div>
        ${cellState(cell, moment) ?? textBody(this.tag, /** @type {Moment} */ (moment), isRaw.value)}
      </article>`;
  }
}

customElements.define("text-card", TextCard);
