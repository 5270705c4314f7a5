// The card of one tag: the curves of all runs at one step, and a table of what they are at the threshold.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { action, cardHead, cardSlider, cellState, runTitle, stepOf } from "../../controls/card_parts.js";
import { ICONS } from "../../controls/icons.js";
import { rankNote } from "../../controls/rank_choice.js";
import { SteppedCard } from "../../controls/stepped_card.js";
import { styles } from "../../data/runs/runs.js";
import { hoveredRun } from "../../data/view/pointer.js";
import { change, opened } from "../../data/view/view.js";
import { grouped, nonFinite, shortNumber } from "../../i18n/numbers.js";
import { momentsOf, pointAt } from "./model/curves.js";
import { curveRanks, curveStep, threshold } from "./settings.js";
import { t } from "./words.js";
import "./curve_chart.js";

/** @typedef {import("./model/curves.js").Moment} Moment */
/** @typedef {import("../../controls/stepped_card.js").Cell<Moment>} Cell */

/** @extends SteppedCard<Moment> */
class CurveCard extends SteppedCard {
  get source() {
    return { kind: /** @type {const} */ ("pr_curves"), page: curveStep, ranks: curveRanks };
  }

  /** @param {{curves: import("./model/curves.js").CurveEntry[]}} reply */
  momentsOf(reply) {
    return momentsOf(reply.curves);
  }

  template() {
    const isOpen = opened.value === this.tag;
    this.classList.toggle("enlarged", isOpen);
    const step = curveStep.at(this.tag);
    const enlarge = () => change({ open: isOpen ? null : this.tag });
    const rows = this.cells.value.map((cell) => ({ cell, moment: this.momentAt(cell, step) }));
    const curves = rows.flatMap(({ cell: { run }, moment }) =>
      moment ? [{ run, style: styles.value.get(run) ?? { colour: 0, dash: 0 }, points: moment.points }] : [],
    );
    return html`
      ${cardHead(
        this,
        action(
          "enlarge",
          t(isOpen ? "pr.shrink" : "pr.enlarge"),
          isOpen ? ICONS.shrink : ICONS.enlarge,
          enlarge,
          isOpen,
        ),
      )}
      <curve-chart .tag=${this.tag} .curves=${curves}></curve-chart>
      <div class="pr-table" tabindex="0" role="group" aria-label=${t("pr.table", { tag: this.tag })}>
        ${this.#table(rows)}
      </div>
      ${cardSlider(this)}`;
  }

  /** @param {{cell: Cell, moment: Moment | undefined}[]} rows */
  #table(rows) {
    const isNamed = rows.length === 1 || new Set(rows.map(({ moment }) => moment?.step)).size > 1;
    const best = Math.max(...rows.map(({ moment }) => moment?.averagePrecision ?? -Infinity));
    return html`<table>
      <caption>${t("pr.at", { threshold: shortNumber(threshold.value) })}</caption>
      <thead><tr>
        <th scope="col">${t("pr.run")}</th>
        ${COLUMNS.map(({ short, name }) => html`<th scope="col"><abbr title=${t(name)}>${t(short)}</abbr></th>`)}
      </tr></thead>
      <tbody>${repeat(
        rows,
        ({ cell }) => cell.run,
        ({ cell, moment }) => row(cell, moment, rows.length > 1 ? best : NaN, isNamed ? this.#selected() : null),
      )}</tbody></table>`;
  }

  #selected() {
    return curveStep.own(this.tag) ?? curveStep.shared.value ?? Infinity;
  }
}

/** @typedef {import("./model/curves.js").CurvePoint} CurvePoint */
/** @type {Array<{short: import("./words.js").TextKey, name: import("./words.js").TextKey,
 *   text: (point: CurvePoint | undefined, moment: Moment) => string}>} */
const COLUMNS = [
  { short: "pr.ap", name: "pr.ap_name", text: (_, moment) => share(moment.averagePrecision) },
  { short: "pr.precision_short", name: "pr.precision", text: (point) => share(point?.precision) },
  { short: "pr.recall_short", name: "pr.recall", text: (point) => share(point?.recall) },
  { short: "pr.tp", name: "pr.tp_name", text: (point) => count(point?.truePositives) },
  { short: "pr.fp", name: "pr.fp_name", text: (point) => count(point?.falsePositives) },
  { short: "pr.tn", name: "pr.tn_name", text: (point) => count(point?.trueNegatives) },
  { short: "pr.fn", name: "pr.fn_name", text: (point) => count(point?.falseNegatives) },
];

/** @param {Cell} cell @param {Moment | undefined} moment @param {number} best average precision of the card
 * @param {number | null} selected step; null = the step of the row is not named, as the slider shows it */
const row = (cell, moment, best, selected) => html`
  <tr @pointerenter=${() => (hoveredRun.value = cell.run)} @pointerleave=${() => (hoveredRun.value = null)}
    data-run=${cell.run} data-step=${moment?.step ?? ""} data-best=${moment?.averagePrecision === best}>
    <th scope="row"><span class="pr-run">${runTitle(cell.run)}${rankNote(cell.listing)}${
      moment && selected !== null ? stepOf(cell.run, moment, selected) : nothing
    }</span></th>
    ${
      moment
        ? COLUMNS.map(({ text }) => html`<td>${text(pointAt(moment.points, threshold.value), moment)}</td>`)
        : html`<td colspan=${COLUMNS.length}>${cellState(cell, moment)}</td>`
    }
  </tr>`;

/** A number from 0 to 1. @param {number | undefined} value */
const share = (value = NaN) => nonFinite(value) ?? value.toFixed(3);

/** Samples, or the sum of their weights. @param {number | undefined} value */
const count = (value = NaN) => nonFinite(value) ?? (Number.isInteger(value) ? grouped(value) : shortNumber(value));

customElements.define("curve-card", CurveCard);
