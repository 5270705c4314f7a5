// The first line of a text in Markdown, without its marks, for a cell of a table.

import { tokensOf, withCharacters } from "./tokens.js";

/** @typedef {import("./tokens.js").Token} Token */

/** A cell shows no more characters. */
const LONGEST = 300;

/** @param {string} text */
export function firstLine(text) {
  const line = text.trimStart().split("\n")[0].slice(0, LONGEST);
  return plain(tokensOf(line) ?? []).trim() || line;
}

/** @param {readonly Token[]} tokens @returns {string} */
const plain = (tokens) =>
  tokens
    .map((/** @type {Record<string, any>} */ { type, tokens: inner, items, text, raw }) => {
      if (inner ?? items) return plain(inner ?? items);
      return type === "code" || type === "codespan" ? text : withCharacters(text ?? raw);
    })
    .join("");
