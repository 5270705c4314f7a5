import assert from "node:assert/strict";
import { test } from "node:test";
import { differences } from "./differences.js";

/** @param {import("./differences.js").Part[]} parts */
const marked = (parts) => parts.map(({ text, differs }) => (differs ? `[${text}]` : text)).join("");

test("words that the other text lacks are marked", () => {
  const found = differences("The answer is four.\n\nDone", "The answer is 4.\n\nDone");
  assert.deepEqual(found?.map(marked), ["The answer is [four].\n\nDone", "The answer is [4].\n\nDone"]);
});

test("Chinese is compared by character", () => {
  assert.deepEqual(differences("答案是四", "答案是五")?.map(marked), ["答案是[四]", "答案是[五]"]);
});

test("equal and empty texts have no differences", () => {
  assert.deepEqual(differences("same", "same")?.map(marked), ["same", "same"]);
  assert.deepEqual(differences("", "new")?.map(marked), ["", "[new]"]);
});

test("both texts are whole, whatever differs", () => {
  const [one, other] = ["a  b\tc\n", "c b\n\na"];
  assert.deepEqual(
    differences(one, other)?.map((parts) => parts.map(({ text }) => text).join("")),
    [one, other],
  );
});

test("texts that would take too long are not compared", () => {
  const [one, other] = [0, 1].map((odd) => Array.from({ length: 60_000 }, (_, n) => `w${2 * n + odd}`).join(" "));
  assert.equal(differences(one, other), null);
});
