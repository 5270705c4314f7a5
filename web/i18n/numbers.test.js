import assert from "node:assert/strict";
import { test } from "node:test";
import { axisLabels, columnFormat, grouped, inColumn, plainText, shortNumber } from "./numbers.js";
import { format } from "./text.js";
import { duration } from "./times.js";

test("short numbers are within a relative error of their digits", () => {
  const units = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
  for (let round = 0; round < 5000; round++) {
    const value = (Math.random() - 0.5) * 10 ** (Math.random() * 30 - 15);
    const text = shortNumber(value);
    const unit = /** @type {keyof typeof units} */ (text.at(-1));
    const parsed = unit in units ? Number(text.slice(0, -1)) * units[unit] : Number(text);
    assert.ok(Math.abs(parsed - value) <= 0.0051 * Math.abs(value), `${value} ${text}`);
    assert.ok(text.length <= 9, text);
  }
});

test("special numbers have names", () => {
  assert.deepEqual(
    [NaN, Infinity, -Infinity, 0].map((value) => shortNumber(value)),
    ["NaN", "∞", "−∞", "0"],
  );
  assert.equal(shortNumber(0.000034), "3.4e-5");
  assert.equal(shortNumber(1200), "1.2k");
});

test("labels of an axis are distinct", () => {
  assert.deepEqual(axisLabels([1000, 1001, 1002]), ["1k", "1.001k", "1.002k"]);
  assert.equal(new Set(axisLabels([0.12345, 0.12346])).size, 2);
});

test("a column has one number of decimals, or exponents", () => {
  const column = (/** @type {number[]} */ values) => values.map((value) => inColumn(value, columnFormat(values)));
  assert.deepEqual(column([0.5, 12.25]), ["0.5000", "12.2500"]);
  assert.deepEqual(column([1e-9, 2]), ["0.000000", "2.000000"]);
  assert.deepEqual(column([1e-9, 2e-9]), ["1.000e-9", "2.000e-9"]);
  assert.deepEqual(column([NaN, 0]), ["NaN", "0.0"]);
});

test("counts are grouped, recorded values have at most six digits", () => {
  assert.equal(grouped(1234567), "1,234,567");
  assert.equal(grouped(-123), "-123");
  assert.equal(plainText(0.1 + 0.2), "0.3");
  assert.equal(plainText("adam"), "adam");
  assert.equal(plainText(true), "true");
});

test("durations have two units at most", () => {
  assert.deepEqual([0.5, 12.34, 65, 3599.6, 7260, 90_000, -3].map(duration), [
    "0.50s",
    "12.3s",
    "1m 05s",
    "1h 00m",
    "2h 01m",
    "1d 01h",
    "−3.00s",
  ]);
  assert.equal(duration(NaN), "");
});

test("texts select singular or plural and fill their placeholders", () => {
  const text = "{n} run of {total}|{n} runs of {total}";
  assert.equal(format(text, { n: 1, total: 5 }), "1 run of 5");
  assert.equal(format(text, { n: "1", total: 5 }), "1 run of 5");
  assert.equal(format(text, { n: 2, total: 5 }), "2 runs of 5");
  assert.equal(format("{missing}", { n: 1 }), "{missing}");
});
