// Numbers in the cells of a table, whose decimal points stand under each other.

import { html } from "lit-html";
import { fractionOf, nonFinite, plainText } from "../i18n/numbers.js";

/** Rows whose numbers are looked at: more do not change the room for fractions. */
const MOST_ROWS = 1000;

/** The letters that the fractions of a column need.
 * @param {readonly import("../data/value_filter.js").Value[]} values */
export const fractionRoom = (values) =>
  Math.max(
    0,
    ...values
      .slice(0, MOST_ROWS)
      .map((value) => (typeof value === "number" && Number.isFinite(value) ? fractionOf(plainText(value)).length : 0)),
  );

/** A recorded number with five digits; the fraction is as wide as the widest of its column.
 * @param {number} value @param {number} room letters */
export function numberCell(value, room) {
  const text = nonFinite(value) ?? plainText(value);
  const fraction = fractionOf(text);
  return html`${text.slice(0, text.length - fraction.length)}<span class="fraction" style="width:${room}ch">${fraction}</span>`;
}
