import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { language } from "../../i18n/language.js";
import { reasonOf } from "./reason.js";

afterEach(() => {
  language.value = "en";
});

/** Messages of the server, as tests/server/search/test_syntax.py and test_search.py have them. */
const MESSAGES = [
  "the quote at character 1 is not closed",
  "expected a value after lr< at character 4, found the end of the search",
  "expected a value after lr< at character 4, found '<'",
  "expected ')' at character 3, found the end of the search",
  "expected a term in the parentheses at character 2, found ')'",
  "expected a term on both sides of OR at character 5, found the end of the search",
  "expected a term right after '-' at character 2, found 'a'",
  "expected a comparison after min(loss) at character 10, found the end of the search",
  "'average' at character 1 is not a function: expected last, min, max, param, or quotes around a text with parentheses",
  "the search is nested deeper than 50 levels",
  "the search has more than 50 terms",
  "the search has 2001 characters: expected at most 2000",
  "state:broken: expected one of running, failed",
  "label<3: expected ':', '=' or '!='",
  "started>soon: expected a date or time such as 2026-11-22 or 2026-11-22T18:30",
  "duration>1y: expected a duration such as 90s, 30m, 1.5h or 2d",
  "lr<fast: expected a number",
  "the pattern is not a valid regular expression: missing )",
];

test("the reasons of the server are in the language of the page", () => {
  for (const message of MESSAGES) assert.notEqual(reasonOf(message), "", message);
  assert.equal(reasonOf(MESSAGES[1]), "Expected a value after lr< at character 4, found the end of the search");
  assert.equal(reasonOf("lr<fast: expected a number"), "lr<fast: expected a number");
  language.value = "zh";
  assert.equal(reasonOf(MESSAGES[1]), "第 4 个字符处应为 lr< 之后的值，实际是 搜索末尾");
  assert.equal(reasonOf("lr<fast: expected a number"), "lr<fast：应为数字");
  for (const message of MESSAGES)
    assert.doesNotMatch(reasonOf(message), /expected|found|the search|character|pattern|such as/, message);
});

test("a reason that is not known is shown as it is", () => {
  assert.equal(reasonOf("the disk is on fire"), "the disk is on fire");
});
