// The cells of samples: numbers, texts, and conversations as turns.

import { html, nothing } from "lit-html";
import { plainText } from "../../../i18n/numbers.js";

/** @typedef {import("./client.js").Cell} Cell */
/** @typedef {import("./client.js").Turn} Turn */
/** @typedef {import("./differences.js").Part} Part */

/** @param {Cell} cell @returns {cell is number | boolean} */
export const isShort = (cell) => typeof cell === "number" || typeof cell === "boolean";

/** What a cell of a table shows: long texts are folded by its style. @param {Cell} cell */
export function folded(cell) {
  if (cell === null) return nothing;
  if (isShort(cell)) return plainText(cell);
  return html`<div class="fold">${
    typeof cell === "string" ? withoutBlankLines(cell) : turns(cell, ({ text }) => text)
  }</div>`;
}

/** A folded text has room for few lines. @param {string} text */
const withoutBlankLines = (text) => text.replace(/\n\s*\n/g, "\n");

/** @param {readonly Turn[]} said @param {(turn: Turn, number: number) => unknown} body */
export const turns = (said, body) =>
  said.map(
    (turn, number) => html`<div class="chat-turn" data-role=${turn.role}><span class="role">${turn.role}</span>
      <div class="said">${body(turn, number)}</div></div>`,
  );

/** @param {readonly Part[]} parts */
export const marked = (parts) => parts.map(({ text, differs }) => (differs ? html`<mark>${text}</mark>` : text));
