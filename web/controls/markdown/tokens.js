// Parses Markdown into tokens. The text is untrusted: markdown.js decides what is rendered.

import { signal } from "@preact/signals-core";

/** @typedef {import("marked").Token} Token */

/** Longer texts are not parsed: some patterns take quadratic time. */
export const MAX_FORMATTED = 20_000;
/** In a paragraph, so that it is parsed in about 10 ms; one with more is shown as it is. */
const MAX_DELIMITERS = 1000;
/** Quotes and lists one inside the other. */
const DEEPEST = /^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*){40}/m;

/** marked's, which the first page seldom needs; null until it is loaded.
 * @type {import("@preact/signals-core").Signal<typeof import("marked").Lexer | null>} */
const lexer = signal(null);

/** @type {() => Promise<typeof import("marked").Lexer>} */
let load = () => Promise.reject(new Error("No parser of Markdown was provided."));

/** Says how the parser is loaded, on first use. @param {typeof load} how */
export const provideParser = (how) => void (load = how);

export const loadParser = async () => void (lexer.value ??= await load());

/** @param {string} text @returns {Token[] | null} null if it is too long, nested too deeply, or the parser is not loaded */
export function tokensOf(text) {
  if (text.length > MAX_FORMATTED || DEEPEST.test(text)) return null;
  if (!lexer.value) {
    loadParser().catch(() => null); // Without it, texts are shown as they are.
    return null;
  }
  try {
    return parsed(text, lexer.value);
  } catch {
    return null;
  }
}

/** @param {string} text @param {typeof import("marked").Lexer} Lexer */
function parsed(text, Lexer) {
  const lexer = new Lexer({ gfm: true, breaks: false });
  lexer.blockTokens(text.replace(/\r\n|\r/g, "\n"), lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue)
    if ((src.match(/[_*~`[\]]/g) ?? []).length <= MAX_DELIMITERS) lexer.inlineTokens(src, tokens);
    else tokens.push({ type: "text", raw: src, text: src });
  return lexer.tokens;
}

const LINKS = ["http:", "https:", "mailto:"];

/** Returns the URL of a link that may be opened; null for any other, which is shown as text.
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

/** Decodes character references; unknown ones are kept.
 * @param {string} text */
export const withCharacters = (text) =>
  text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,6}));/g, (whole, decimal, hexadecimal, name) => {
    if (name) return Object.hasOwn(NAMED, name) ? NAMED[name] : whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
