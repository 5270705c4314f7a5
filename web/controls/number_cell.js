// Numbers in the cells of a table, whose decimal points stand under each other.

import { html } from "lit-html";
import { fractionOf, nonFinite, plainText, wholePart } from "../i18n/numbers.js";

/** Rows whose numbers are looked at: more do not change the room for fractions. */
const MAX_ROWS = 1000;

/** The letters that the fractions of a column need.
 * @param {readonly import("../data/text/value_filter.js").Value[]} values */
export const fractionRoom = (values) =>
  Math.max(
    0,
    ...values
      .slice(0, MAX_ROWS)
      .map((value) => (typeof value === "number" && Number.isFinite(value) ? fractionOf(plainText(value)).length : 0)),
  );

/** A number whose point stands under those of the others at the left of a column; its integer part is as wide as theirs.
 * @param {string} text @param {number} room letters */
export const wholeCell = (text, room) =>
  html`<span class="whole-part" style="width:${room}ch">${wholePart(text)}</span>${text.slice(wholePart(text).length)}`;

/** The letters that the integer parts of a column need; longer ones stand out. @param {Iterable<string>} texts */
export function wholeRoom(texts) {
  let room = 0;
  for (const text of texts) room = Math.max(room, Math.min(MAX_WHOLE, wholePart(text).length));
  return room;
}
const MAX_WHOLE = 5;

/** A recorded number with five digits; the fraction is as wide as the widest of its column.
 * @param {number} value @param {number} room letters */
export function numberCell(value, room) {
  const text = nonFinite(value) ?? plainText(value);
  const fraction = fractionOf(text);
  return html`${text.slice(0, text.length - fraction.length)}<span class="fraction" style="width:${room}ch">${fraction}</span>`;
}
