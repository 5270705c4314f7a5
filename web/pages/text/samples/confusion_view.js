// A confusion matrix as a heat map: counts, shaded by their share of the actual class, with recall and precision.

import { html, nothing } from "lit-html";
import { grouped } from "../../../i18n/numbers.js";
import { t } from "../words.js";
import { countsOf } from "./confusion_counts.js";

/** @typedef {import("./client.js").Samples} Samples */

/** More classes are a table. */
export const MAX_CLASSES = 60;
/** Up to so many classes, cells have room for their share too. */
const FEW_CLASSES = 12;
/** From this share on, the text needs the colour that is read on a full shade. */
const DARK = 0.55;

/** @param {Samples} reply @param {string} tag */
export function confusionView(reply, tag) {
  const { names, counts, actual, predicted, total, correct } = countsOf(reply.rows);
  const isRoomy = names.length <= FEW_CLASSES;
  return html`
    <p class="meta">${t("confusion.accuracy", { share: percent(correct, total), n: grouped(total) })}</p>
    <div class="wide" tabindex="0"><table class="confusion" data-roomy=${isRoomy} aria-label=${t("confusion.table", { tag })}>
      <thead>
        <tr><td></td><th class="confusion-axis" colspan=${names.length}>${t("confusion.predicted")}</th><td></td></tr>
        <tr><th scope="col" class="confusion-axis">${t("confusion.actual")}</th>${names.map(
          (name) => html`<th scope="col" title=${name}><span>${name}</span></th>`,
        )}<th scope="col" class="rate">${t("confusion.recall")}</th></tr>
      </thead>
      <tbody>${names.map(
        (name, row) =>
          html`<tr><th scope="row" title=${name}>${name}</th>${counts[row].map((count, column) =>
            cell(count, actual[row], name, names[column], isRoomy),
          )}<td class="rate">${percent(counts[row][row], actual[row], isRoomy)}</td></tr>`,
      )}</tbody>
      <tfoot><tr><th scope="row">${t("confusion.precision")}</th>${names.map(
        (_, column) => html`<td class="rate">${percent(counts[column][column], predicted[column], isRoomy)}</td>`,
      )}<td></td></tr></tfoot>
    </table></div>`;
}

/** @param {number} count @param {number} all of the actual class @param {string} actual @param {string} predicted
 * @param {boolean} isRoomy */
function cell(count, all, actual, predicted, isRoomy) {
  const share = all ? count / all : 0;
  const title = t("confusion.cell", { actual, predicted, n: grouped(count), share: percent(count, all) });
  return html`<td title=${title} class=${share > DARK ? "strong" : count ? "" : "zero"} style="--share:${(100 * share).toFixed(1)}%">${grouped(
    count,
  )}${isRoomy && count ? html` <span class="share">${percent(count, all)}</span>` : nothing}</td>`;
}

/** "97.1 %"; "–" of nothing. @param {number} part @param {number} all @param {boolean} isFine */
const percent = (part, all, isFine = true) => (all ? `${((100 * part) / all).toFixed(isFine ? 1 : 0)} %` : "–");
