import assert from "node:assert/strict";
import { test } from "node:test";
import { Lexer } from "marked";
import { loadParser, MAX_FORMATTED, provideParser, safeAddress, tokensOf, withCharacters } from "./tokens.js";

provideParser(async () => Lexer);
await loadParser();

test("only links to the web and to mail addresses are safe", () => {
  assert.equal(safeAddress("https://example.org/a?b=c"), "https://example.org/a?b=c");
  assert.equal(safeAddress("mailto:a@example.org"), "mailto:a@example.org");
  for (const href of ["javascript:alert(1)", " JaVaScRiPt:alert(1)", "data:text/html,x", "relative", "//host", ""])
    assert.equal(safeAddress(href), null, href);
});

test("character references are decoded, unknown ones are kept", () => {
  assert.equal(withCharacters("&lt;&#65;&#x42;&amp;&nope;&#0;&#x110000;"), "<AB&&nope;\ufffd\ufffd");
});

test("texts that are too long are not parsed", () => {
  assert.equal(tokensOf("a".repeat(MAX_FORMATTED + 1)), null);
  assert.equal(tokensOf("# a")?.[0].type, "heading");
});

test("a text that would take seconds is shown in pieces as it is", () => {
  for (const text of ["_a_".repeat(6600), "***a".repeat(4900), "~".repeat(19_999)]) {
    const tokens = /** @type {import("./tokens.js").Token[]} */ (tokensOf(text));
    assert.equal(tokens.map(({ raw }) => raw).join(""), text);
  }
  assert.equal(tokensOf(">".repeat(19_999)), null);
  assert.equal(tokensOf("1. ".repeat(6000)), null);
});
