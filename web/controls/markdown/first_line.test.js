import assert from "node:assert/strict";
import { test } from "node:test";
import { Lexer } from "marked";
import { firstLine } from "./first_line.js";
import { loadParser, provideParser } from "./tokens.js";

provideParser(async () => Lexer);
await loadParser();

test("the first line of a text has no marks of Markdown", () => {
  for (const [text, line] of [
    ["**97.1 %** after `30` epochs\n\nMore", "97.1 % after 30 epochs"],
    ["\n# A *title*\n", "A title"],
    ["- [a link](https://example.org) &amp; more", "a link & more"],
    ["> quoted ~~not~~", "quoted not"],
    ["snake_case and 2 * 3 * 4", "snake_case and 2 * 3 * 4"],
    ["<b>bold</b>", "<b>bold</b>"],
    ["---", "---"],
    ["", ""],
  ])
    assert.equal(firstLine(text), line);
});
