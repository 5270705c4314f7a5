import assert from "node:assert/strict";
import { test } from "node:test";
import { columnFormat, fineNumber, fractionOf, grouped, inColumn, plainText, shortNumber } from "./numbers.js";
import { format } from "./text.js";
import { duration, wallTime } from "./times.js";

test("short numbers are within a relative error of their digits", () => {
  for (let round = 0; round < 5000; round++) {
    const value = (Math.random() - 0.5) * 10 ** (Math.random() * 30 - 15);
    const text = shortNumber(value);
    assert.ok(Math.abs(Number(text) - value) <= 0.00051 * Math.abs(value), `${value} ${text}`);
    assert.ok(text.length <= 10, text);
    assert.equal(text.includes("e"), Math.abs(Number(text)) < 1e-3 || Math.abs(value) >= 999_999.5, text);
  }
});

test("special numbers have names", () => {
  assert.deepEqual(
    [NaN, Infinity, -Infinity, 0].map((value) => shortNumber(value)),
    ["NaN", "∞", "−∞", "0"],
  );
  assert.deepEqual(
    [0.000034, 0.00099996, 1234.56, 123456.7, 999_999.9, 2.5e7].map((value) => shortNumber(value)),
    ["3.4e-5", "0.001", "1235", "123457", "1e6", "2.5e7"],
  );
});

test("a column has one number of decimals, or exponents", () => {
  const column = (/** @type {number[]} */ values) => values.map((value) => inColumn(value, columnFormat(values)));
  assert.deepEqual(column([0.5, 12.25]), ["0.5000", "12.2500"]);
  assert.deepEqual(column([1e-9, 2]), ["1.000e-9", "2.000e0"]);
  assert.deepEqual(column([1e-9, 2e-9]), ["1.000e-9", "2.000e-9"]);
  assert.deepEqual(column([NaN, 0]), ["NaN", "0.0"]);
});

test("values that differ by the resolution read differently", () => {
  for (let round = 0; round < 20_000; round++) {
    const value = (Math.random() - 0.5) * 10 ** (Math.random() * 40 - 20);
    const other = value + Math.abs(value) * 10 ** (-14 * Math.random());
    const format = columnFormat([value, other], other - value);
    assert.notEqual(inColumn(value, format), inColumn(other, format), `${value} ${other}`);
  }
  const close = [1.5e9 + 0.01, 1.5e9 + 0.02];
  assert.deepEqual(
    close.map((value) => inColumn(value, columnFormat(close, 0.01))),
    ["1500000000.01", "1500000000.02"],
  );
});

test("positions that differ by a pixel of the visible range read differently", () => {
  for (let round = 0; round < 20_000; round++) {
    const pixel = 10 ** (Math.random() * 10 - 5);
    const time = Math.random() * 10 ** (Math.random() * 9);
    assert.notEqual(duration(time, pixel), duration(time + pixel, pixel), `${time} ${pixel}`);
    const wall = 1.7e9 + time;
    assert.notEqual(wallTime(wall, pixel), wallTime(wall + pixel, pixel), `${wall} ${pixel}`);
    const [x, least] = [(Math.random() - 0.5) * 10 ** (Math.random() * 40 - 20), 10 ** (-13 * Math.random())];
    const other = x + Math.abs(x) * least;
    assert.notEqual(fineNumber(x, other - x), fineNumber(other, other - x), `${x} ${other}`);
  }
  assert.deepEqual(
    [duration(3725.5, 0.1), duration(3725.5), duration(90_061, 10)],
    ["1h 02m 05.5s", "1h 02m", "1d 01h 01m 01s"],
  );
});

test("the fraction of a number begins with its point", () => {
  assert.deepEqual(["0.25", "1e-5", "1.5e-5", "12", "NaN"].map(fractionOf), [".25", "e-5", ".5e-5", "", ""]);
});

test("counts are grouped, recorded values have at most five digits", () => {
  assert.equal(grouped(1234567), "1,234,567");
  assert.equal(grouped(-123), "-123");
  assert.equal(grouped(2 ** 53 - 1), "9,007,199,254,740,991");
  assert.equal(grouped(1.7e18), "≈1,700,000,000,000,000,000");
  assert.equal(plainText(0.1 + 0.2), "0.3");
  assert.equal(plainText(2 ** 53 - 1), "9007199254740991");
  assert.equal(plainText(0.00158234), "0.0015823");
  assert.equal(plainText(1.58234e-5), "1.5823e-5");
  assert.equal(plainText(20261127), "20261127");
  assert.equal(plainText("adam"), "adam");
  assert.equal(plainText(true), "true");
});

test("durations have two units at most", () => {
  assert.deepEqual(
    [0.5, 12.34, 65, 3599.6, 7260, 90_000, -3].map((seconds) => duration(seconds)),
    ["0.50s", "12.3s", "1m 05s", "1h 00m", "2h 01m", "1d 01h", "−3.00s"],
  );
  assert.equal(duration(NaN), "");
});

test("texts select singular or plural and fill their placeholders", () => {
  const text = "{n} run of {total}|{n} runs of {total}";
  assert.equal(format(text, { n: 1, total: 5 }), "1 run of 5");
  assert.equal(format(text, { n: "1", total: 5 }), "1 run of 5");
  assert.equal(format(text, { n: 2, total: 5 }), "2 runs of 5");
  assert.equal(format("{missing}", { n: 1 }), "{missing}");
});
