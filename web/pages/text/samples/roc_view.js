// ROC curves of the classes of a run, with the area under each.

import { html, nothing, svg } from "lit-html";
import { grouped } from "../../../i18n/numbers.js";
import { t } from "../words.js";
import { curvesOf, pathOf } from "./roc_curves.js";

/** @typedef {import("./client.js").Samples} Samples */

/** More curves cannot be distinguished. */
const MAX_CURVES = 20;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** @param {Samples} reply @param {string} tag */
export function rocView(reply, tag) {
  const curves = curvesOf(reply.rows);
  const drawn = curves.slice(0, MAX_CURVES);
  return html`<div class="roc">
    <svg viewBox="-14 -4 122 118" role="img" aria-label=${t("roc.picture", { tag })}>
      ${TICKS.map(
        (tick) => svg`<path class="roc-grid" d="M${100 * tick} 0V100M0 ${100 - 100 * tick}H100"></path>
          <text x=${100 * tick} y="105" text-anchor="middle">${tick}</text>
          <text x="-2" y=${101.5 - 100 * tick} text-anchor="end">${tick}</text>`,
      )}
      <path class="roc-chance" d="M0 100L100 0"></path>
      ${drawn.map(({ points }, place) => svg`<path class="roc-curve" style="stroke:${colourOf(place)}" d=${pathOf(points)}></path>`)}
      <text x="50" y="112" text-anchor="middle">${t("roc.false_positives")}</text>
      <text transform="translate(-11 50) rotate(-90)" text-anchor="middle">${t("roc.true_positives")}</text>
    </svg>
    <table class="roc-areas"><thead><tr><th scope="col">${t("roc.class")}</th><th scope="col">${t("roc.area")}</th></tr></thead>
      <tbody>${drawn.map(
        ({ name, area }, place) => html`<tr><th scope="row" title=${name}><span class="roc-key"
          style="background:${colourOf(place)}"></span>${name}</th>
          <td>${Number.isFinite(area) ? area.toFixed(4) : "–"}</td></tr>`,
      )}</tbody></table>
    ${
      curves.length > drawn.length
        ? html`<p class="meta" data-note="curves_cut">${t("roc.cut", { n: grouped(drawn.length) })}</p>`
        : nothing
    }</div>`;
}

/** @param {number} place */
const colourOf = (place) => `var(--run-${(place % MAX_CURVES) + 1})`;
