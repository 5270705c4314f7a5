import assert from "node:assert/strict";
import { test } from "node:test";
import { naturally } from "./natural_order.js";

test("names with digits have the order of the browser's collation; leading zeros make no difference", () => {
  const { compare } = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const letter = () => "aAbB0012"[Math.floor(Math.random() * 8)];
  const name = () => Array.from({ length: Math.random() * 8 }, letter).join("");
  for (let round = 0; round < 20_000; round++) {
    const [one, other] = [name(), name()];
    const expected = compare(one, other) || (one < other ? -1 : one > other ? 1 : 0);
    assert.equal(Math.sign(naturally(one, other)), Math.sign(expected), `${one} and ${other}`);
  }
});
