// The card of one tag: the images of all runs side by side at one step.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { action, cardHead, cardSlider, cellState, runTitle, stepOf } from "../../controls/card_parts.js";
import { ICONS } from "../../controls/icons.js";
import { rankNote } from "../../controls/rank_choice.js";
import { nameOf } from "../../controls/run_name.js";
import { SteppedCard } from "../../controls/stepped_card.js";
import { momentsOf } from "./model/images.js";
import { openPanes } from "./panes.js";
import { IMAGE_SOURCE, imageStep } from "./settings.js";
import { t } from "./words.js";
import "./still_picture.js";

/** @typedef {import("./model/images.js").Moment} Moment */
/** @typedef {import("../../controls/stepped_card.js").Cell<Moment>} Cell */

/** Images of one step in a card; the viewer shows all. */
const MAX_OF_VALUE = 9;

/** @extends SteppedCard<Moment> */
export class ImageCard extends SteppedCard {
  /** Do the animations of the card play? They start together, so that runs can be compared. */
  #plays = signal(!matchMedia("(prefers-reduced-motion: reduce)").matches);

  get source() {
    return IMAGE_SOURCE;
  }

  /** @param {{images: import("./model/images.js").ImageEntry[]}} reply */
  momentsOf(reply) {
    return momentsOf(reply.images);
  }

  template() {
    const step = imageStep.at(this.tag);
    const shown = new Set(this.cells.value.map((cell) => this.momentAt(cell, step)?.step));
    return html`
      ${cardHead(
        this,
        html`${action("enlarge", t("image.enlarge"), ICONS.enlarge, () => openPanes(this.tag, []))}${this.#playAction(step)}`,
      )}
      <div class="cells">${repeat(
        this.cells.value,
        (cell) => cell.run,
        (cell) => this.#cell(cell, step, shown.size > 1 || this.cells.value.length === 1),
      )}</div>
      ${cardSlider(this)}`;
  }

  /** Plays and stops the animations of the card; nothing if it has none. @param {number} step */
  #playAction(step) {
    const pictures = this.cells.value.flatMap((cell) => this.momentAt(cell, step)?.pictures ?? []);
    if (!pictures.some(({ animated }) => animated)) return nothing;
    const plays = this.#plays.value;
    return action("play", t(plays ? "image.stop" : "image.play"), plays ? ICONS.stop : ICONS.play, () =>
      this.togglePlay(),
    );
  }

  togglePlay() {
    this.#plays.value = !this.#plays.peek();
  }

  /** @param {Cell} cell @param {number} step @param {boolean} named with its step, unless all cells show the same one,
   * which the slider shows */
  #cell(cell, step, named) {
    const moment = this.momentAt(cell, step);
    return html`
      <figure class="cell" data-run=${cell.run} data-step=${moment?.step ?? ""}>
        <figcaption>${runTitle(cell.run)}${rankNote(cell.listing)}${
          named && moment
            ? stepOf(cell.run, moment, imageStep.own(this.tag) ?? imageStep.shared.value ?? Infinity)
            : nothing
        }</figcaption>
        ${cellState(cell, moment) ?? this.#pictures(cell.run, /** @type {Moment} */ (moment))}
      </figure>`;
  }

  /** @param {string} run @param {Moment} moment */
  #pictures(run, { step, pictures }) {
    const label = t("image.alt", { tag: this.tag, run: nameOf(run), step });
    const more = pictures.length - MAX_OF_VALUE;
    return html`<div class="pictures" data-count=${pictures.length}>
      ${pictures.slice(0, MAX_OF_VALUE).map(
        (picture, index) => html`
        <button class="picture" title=${[t("image.open"), sizeText(picture)].filter(Boolean).join(" · ")}
          aria-label="${label}${pictures.length > 1 ? ` (${index + 1}/${pictures.length})` : ""}"
          @click=${() => openPanes(this.tag, [{ run, step: imageStep.own(this.tag), index }])}>
          <still-picture .label=${label} .plays=${this.#plays.value} .picture=${picture}></still-picture>
        </button>`,
      )}
      ${more > 0 ? html`<span class="meta">${t("image.more", { n: more })}</span>` : nothing}
    </div>`;
  }
}

/** The recorded size of a picture, which the card may scale.
 * @param {import("./model/images.js").Picture} picture */
const sizeText = ({ width, height }) => (width && height ? `${width} × ${height}` : "");

customElements.define("image-card", ImageCard);
