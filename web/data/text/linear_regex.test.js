import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, PatternError } from "./linear_regex.js";

const PATTERNS = [
  "(a|b)*c",
  "(a+)(b?)",
  "^(ab|a)(c|bcd)$",
  "(?:a(b)?)+",
  "x{2,3}y?",
  "(x{2,}?)(y|$)",
  "lr_(0\\.\\d+)",
  "[^/]+/(\\w+)",
  "\\bval(?:idation)?\\b",
  "(?<name>[a-c]+)\\/\\d{1,3}",
  "a.*?(b|c)",
  "(|a)b",
  "(a?)(a?)b",
  "{(a)}",
  "\\x41(b|B)",
  "(é|[à-ü])+",
  "((a)|b)+",
  "(?:)(a*)",
  "a{0}(b)",
  "(a|ab)(c|bcd)(d*)",
  "\\u0041(.)",
  "(^a|b$)",
  "[\\]a](b)",
  "a]b(c)",
  "(\\B.)",
  "^(?!.*val)(.*)$",
  "(?<=/)(\\w+)",
  "(?<!a)(b)",
  "(a)(?=b)",
  "lr_(?=0\\.(?!02))(.*)",
  "(?<=^|/)(l(?:oss|r))",
  "(?=[^b]*b)(?<!x)([a-c]+)",
  "(?<=(?<!a)a)(b|a)",
];
const TEXTS = [
  "",
  "a",
  "abc",
  "abcd",
  "aabbc",
  "xxxy",
  "lr_0.01/seed_3",
  "train/LOSS",
  "validation/loss",
  "val",
  "abab",
  "b",
  "{a}",
  "Ab",
  "éàü",
  "aab",
  "aaab/12",
  "Axy",
  "]b",
  "a]bc",
  "interval",
];

test("it finds what the browser finds", () => {
  for (const pattern of PATTERNS) {
    const match = compile(pattern);
    for (const text of TEXTS) {
      const expected = new RegExp(pattern, "i").exec(text);
      const found = match(text);
      assert.equal(found?.[0], expected?.[0], `${pattern} in ${text}`);
      assert.equal(found?.[1], expected?.[1], `the group of ${pattern} in ${text}`);
    }
  }
});

test("patterns at random find what the browser finds", () => {
  let seed = 1;
  const pick = (/** @type {readonly string[]} */ choices) => {
    seed = (seed * 48271) % 2147483647;
    return /** @type {string} */ (choices[seed % choices.length]);
  };
  const atom = (/** @type {number} */ depth) => {
    const choices = ["a", "b", ".", "[ab]", "\\w", "^", "$", "\\b"];
    const chosen = pick(depth > 2 ? choices : [...choices, "(", "(?:", "(", "(?=", "(?!", "(?<=", "(?<!"]);
    if (!chosen.startsWith("(")) return chosen + (/[$^]|\\b/.test(chosen) ? "" : pick(["", "", "?", "{1,2}", "+"]));
    /** @type {string} */
    const inside = `${atom(depth + 1)}${pick(["", "|"])}${atom(depth + 1)}`;
    // The browser refuses repetitions that match nothing where they are optional; these threads do not.
    if (/[=!]$/.test(chosen)) return `${chosen}${inside})`;
    return `${chosen}${inside})${/[?^$|]|\\b/.test(inside) ? "" : pick(["", "", "?", "{2}"])}`;
  };
  for (let round = 0; round < 3000; round++) {
    const pattern = `${atom(0)}${atom(0)}`;
    const text = Array.from({ length: round % 7 }, () => pick(["a", "b", "/"])).join("");
    const found = compile(pattern)(text);
    assert.equal(found?.[0], new RegExp(pattern, "i").exec(text)?.[0], `${pattern} in ${text}`);
  }
});

test("a pattern that backtracks for years in the browser is matched in few steps", () => {
  const patterns = [
    "(x+x+)+y",
    "(a|a)(a|a)*$b",
    "(x*)*y",
    "(.*)*\\d(.*)*\\d",
    "(x|x)+y",
    "^(\\w+\\s?)*$",
    "^(?!(x+x+)+y)y",
  ];
  for (const pattern of patterns) assert.equal(compile(pattern)(`${"x".repeat(5000)}!`), null);
  assert.equal(compile("a?".repeat(30) + "a".repeat(30))("a".repeat(30))?.[0]?.length, 30);
});

test("one quantifier takes no more than linear time, and a number of repetitions does not either", () => {
  const text = "x".repeat(200_000);
  for (const pattern of ["x*y", "x+y", "[x]*y", "x{3,}y", ".*?y", "\\w*y"]) assert.equal(compile(pattern)(text), null);
  assert.equal(compile("x*")(text)?.[0]?.length, text.length);
  for (const pattern of ["(?:){1000000000}x", "(?:(?:){1000000000}){1000000000}x", "(?:x{0}){1000000000}x"])
    assert.equal(compile(pattern)("yx")?.[0], "x");
  for (const pattern of ["x{1000000000}", "x{99999999}y", "x{0,2000}y"])
    assert.throws(() => compile(pattern), PatternError, pattern);
});

test("what cannot be matched in linear time is refused", () => {
  for (const pattern of ["(a)\\1", "(?=(a)\\1)", "(x{1000}){1000}", "a".repeat(1001)])
    assert.throws(() => compile(pattern), PatternError, pattern);
  assert.throws(() => compile("a("), SyntaxError);
});

test("a pattern that is matched too often with many threads ends", () => {
  const match = compile("((a?){300}b)*c");
  const text = "a".repeat(5000);
  assert.throws(() => {
    for (let count = 0; count < 10_000; count++) match(text);
  }, PatternError);
  assert.throws(() => compile("(?=(?=(?=.*b).*b).*b)c")("a".repeat(20_000)), PatternError);
});
