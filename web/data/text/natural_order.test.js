import assert from "node:assert/strict";
import { test } from "node:test";
import { compareNatural, compareValues, sortedNaturally } from "./natural_order.js";

const letter = () => "aAbB0012./_"[Math.floor(Math.random() * 11)];
const name = (letters = letter) => Array.from({ length: Math.random() * 8 }, letters).join("");
const codeUnits = (/** @type {string} */ one, /** @type {string} */ other) => (one < other ? -1 : one > other ? 1 : 0);

test("names with digits have the order of the browser's collation; leading zeros make no difference", () => {
  const { compare } = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const alphanumeric = () => "aAbB0012"[Math.floor(Math.random() * 8)];
  for (let round = 0; round < 20_000; round++) {
    const [one, other] = [name(alphanumeric), name(alphanumeric)];
    const expected = compare(one, other) || codeUnits(one, other);
    assert.equal(Math.sign(compareNatural(one, other)), Math.sign(expected), `${one} and ${other}`);
  }
});

test("numbers of any length compare by their value", () => {
  assert.ok(compareNatural("lr12345678901234567890", "lr2") > 0);
  assert.ok(compareNatural("a01b", "a1a") > 0);
});

test("values of a parameter are sorted as numbers, then as texts, in any order of arrival", () => {
  const sorted = ["-Infinity", "-2", "0", "1e-4", "0.0003", "0.001", "0.01", "5", "10", "Infinity", "", "auto", "None"];
  for (let round = 0; round < 200; round++) {
    const mixed = sorted.toSorted(() => Math.random() - 0.5);
    assert.deepEqual(mixed.sort(compareValues), sorted);
  }
});

test("a list is sorted as its names compare", () => {
  for (let round = 0; round < 200; round++) {
    const names = Array.from({ length: 20 }, () => name());
    assert.deepEqual(sortedNaturally(names), names.toSorted(compareNatural));
  }
});
