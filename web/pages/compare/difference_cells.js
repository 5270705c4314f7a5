// The cells of a row of the difference table: of long values the part that sets them apart, or all of them, line by line.

import { html, nothing } from "lit-html";
import { linesOf, sameEnds, sharedLines } from "../../data/difference.js";
import { plainText } from "../../i18n/numbers.js";
import { t } from "./words.js";

/** @typedef {import("../../data/difference.js").Plain} Plain */
/** @typedef {import("../../data/difference.js").DifferenceRow} DifferenceRow */

/** Characters that a cell shows without being opened. */
const SHORT = 40;
/** How much of what is the same stays beside what is not. */
const CONTEXT = 12;
/** Must be LONGEST_TEXT of server/runs/hyper_parameters.py. */
const LONGEST = 1000;

/** @param {DifferenceRow} row */
export const isLong = ({ values }) => values.some((value) => typeof value === "string" && value.length > SHORT);

/** @param {DifferenceRow} row @param {boolean} isWhole */
export function cells(row, isWhole) {
  const told = row.values.filter((value) => value !== undefined).map(String);
  const draw = isWhole ? lineByLine(told) : isLong(row) && row.differs && told.length > 1 ? apart(told) : plain;
  return row.values.map(
    (
      value,
      at,
    ) => html`<td class=${row.odd[at] ? "odd" : ""} title=${value === undefined ? t("compare.missing") : String(value)}>
    ${value === undefined ? html`<span class="dim">–</span>` : html`<div>${draw(value)}${isCut(value) ? html`<span class="meta" data-note="cut">${t("compare.cut")}</span>` : nothing}</div>`}</td>`,
  );
}

/** The server keeps no more of a text. @param {Plain} value */
const isCut = (value) => typeof value === "string" && value.length === LONGEST && value.endsWith("…");

/** @param {Plain} value @returns {unknown} */
const plain = (value) => plainText(value);

/** What is the same at both ends is dimmed and shortened. @param {string[]} told @returns {(value: Plain) => unknown} */
function apart(told) {
  const { head, tail } = sameEnds(told);
  return (value) => {
    const text = String(value);
    const before = head > CONTEXT ? `…${text.slice(head - CONTEXT, head)}` : text.slice(0, head);
    const behind =
      tail > CONTEXT
        ? `${text.slice(text.length - tail, text.length - tail + CONTEXT)}…`
        : text.slice(text.length - tail);
    return html`<span class="same">${before}</span><span class="apart">${text.slice(head, text.length - tail)}</span><span class="same">${behind}</span>`;
  };
}

/** Lines that some run lacks stand out. @param {string[]} told @returns {(value: Plain) => unknown} */
function lineByLine(told) {
  const shared = sharedLines(told.map(linesOf));
  return (value) =>
    linesOf(String(value)).map(
      (line) => html`<span class="whole-line ${shared.has(line) ? "" : "apart"}">${line}</span>`,
    );
}
