// The cells of a row of the difference table: of long values, the parts that differ, or all lines.

import { html, nothing } from "lit-html";
import { wholeCell } from "../../controls/number_cell.js";
import { commonEnds, sharedLines, splitLines } from "../../data/series/difference.js";
import { plainText } from "../../i18n/numbers.js";
import { t } from "./words.js";

/** @typedef {import("../../data/series/difference.js").Plain} Plain */
/** @typedef {import("../../data/series/difference.js").DifferenceRow} DifferenceRow */

/** Longer values are shortened. */
const SHORT = 40;
/** Equal characters shown next to the different ones. */
const CONTEXT = 12;
/** Must be LONGEST_TEXT of server/runs/parameters/hyper_parameters.py. */
const LONGEST = 1000;

/** @param {DifferenceRow} row */
export const isLong = ({ values }) => values.some((value) => typeof value === "string" && value.length > SHORT);

/** @param {DifferenceRow} row @param {boolean} isWhole @param {number} room for the integer parts of numbers */
export function cells(row, isWhole, room) {
  const texts = row.values.filter((value) => value !== undefined).map(String);
  const draw = isWhole
    ? lineByLine(texts)
    : isLong(row) && row.differs && texts.length > 1
      ? apart(texts)
      : plain(room);
  return row.values.map(
    (value, at) => html`<td class=${row.odd[at] ? "odd" : ""} title=${titleOf(value)}>
    ${
      value === undefined
        ? html`<span class="dim">–</span>`
        : value === null
          ? html`<em class="dim">null</em>`
          : html`<div>${draw(value)}${
              isTruncated(value)
                ? html`<span class="meta"
          data-note="cut">${t("compare.cut")}</span>`
                : nothing
            }</div>`
    }</td>`,
  );
}

/** @param {Plain | undefined} value */
const titleOf = (value) =>
  value === undefined ? t("compare.missing") : value === null ? t("compare.null") : String(value);

/** The server stores no more of a text. @param {Plain} value */
const isTruncated = (value) => typeof value === "string" && value.length === LONGEST && value.endsWith("…");

/** @param {number} room @returns {(value: Plain) => unknown} */
const plain = (room) => (value) => (typeof value === "number" ? wholeCell(plainText(value), room) : plainText(value));

/** The numbers of a row as they are shown. @param {DifferenceRow} row */
export const numberTexts = ({ values }) =>
  values.flatMap((value) => (typeof value === "number" ? [plainText(value)] : []));

/** Equal ends are dimmed and shortened. @param {string[]} texts @returns {(value: Plain) => unknown} */
function apart(texts) {
  const { head, tail } = commonEnds(texts);
  return (value) => {
    const text = String(value);
    const before = head > CONTEXT ? `…${text.slice(head - CONTEXT, head)}` : text.slice(0, head);
    const behind =
      tail > CONTEXT
        ? `${text.slice(text.length - tail, text.length - tail + CONTEXT)}…`
        : text.slice(text.length - tail);
    return html`<span class="same">${before}</span><span
      class="apart">${text.slice(head, text.length - tail)}</span><span class="same">${behind}</span>`;
  };
}

/** Lines that are not in every run are highlighted. @param {string[]} texts @returns {(value: Plain) => unknown} */
function lineByLine(texts) {
  const shared = sharedLines(texts.map(splitLines));
  return (value) =>
    splitLines(String(value)).map(
      (line) => html`<span class="whole-line ${shared.has(line) ? "" : "apart"}">${line}</span>`,
    );
}
