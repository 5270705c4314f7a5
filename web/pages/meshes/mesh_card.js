// The card of one mesh: a view for each run at one step.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { cardHead, cardSlider, cellState, runTitle, stepOf } from "../../controls/card_parts.js";
import { rankNote } from "../../controls/rank_choice.js";
import { SteppedCard } from "../../controls/stepped_card.js";
import { meshRanks, meshStep } from "./settings.js";
import "./mesh_pane.js";

/** @typedef {{step: number, wallTime: number}} Moment */
/** @typedef {import("../../controls/stepped_card.js").Cell<Moment>} Cell */

/** @extends SteppedCard<Moment> */
class MeshCard extends SteppedCard {
  get source() {
    return { kind: /** @type {const} */ ("meshes"), page: meshStep, ranks: meshRanks };
  }

  /** A step that was recorded again is listed once. @param {{meshes: Array<{step: number, wall_time: number}>}} reply */
  momentsOf({ meshes }) {
    const last = new Map(meshes.map(({ step, wall_time: wallTime }) => [step, { step, wallTime }]));
    return [...last.values()];
  }

  template() {
    return html`
      ${cardHead(this, nothing)}
      <div class="cells">${repeat(
        this.cells.value,
        (cell) => cell.run,
        (cell) => this.#cell(cell),
      )}</div>
      ${cardSlider(this)}`;
  }

  /** @param {Cell} cell */
  #cell(cell) {
    const step = meshStep.at(this.tag);
    const moment = this.momentAt(cell, step);
    return html`
      <figure class="cell" data-run=${cell.run} data-step=${moment?.step ?? ""}>
        <figcaption>${runTitle(cell.run)}${rankNote(cell.listing)}${
          moment ? stepOf(cell.run, moment, step) : nothing
        }</figcaption>
        ${
          cellState(cell, moment) ??
          html`<mesh-pane .run=${cell.run} .tag=${this.tag} .step=${moment?.step ?? 0}></mesh-pane>`
        }
      </figure>`;
  }
}

customElements.define("mesh-card", MeshCard);
