// Markdown as tokens. The text is foreign: what is made of the tokens decides what it can do on the page.

import { Lexer } from "marked";

/** @typedef {import("marked").Token} Token */

/** A longer text is not worth the time that reading it could take: some patterns cost its square. */
export const MOST_FORMATTED = 20_000;

/** @param {string} text @returns {Token[] | null} null when it is too long, or nested too deeply */
export function tokensOf(text) {
  if (text.length > MOST_FORMATTED) return null;
  try {
    return new Lexer({ gfm: true, breaks: false }).lex(text);
  } catch {
    return null;
  }
}

const LINKS = ["http:", "https:", "mailto:"];

/** The address of a link that may be followed; null for any other: it is shown as text.
 * @param {string} href */
export function safeAddress(href) {
  try {
    const { protocol, href: address } = new URL(href);
    return LINKS.includes(protocol) ? address : null;
  } catch {
    return null;
  }
}

/** @type {Record<string, string>} */
const NAMED = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
  times: "×",
  middot: "·",
};

/** Character references as the characters they mean; unknown ones stay as written.
 * @param {string} text */
export const withCharacters = (text) =>
  text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,6}));/g, (whole, decimal, hexadecimal, name) => {
    if (name) return Object.hasOwn(NAMED, name) ? NAMED[name] : whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
