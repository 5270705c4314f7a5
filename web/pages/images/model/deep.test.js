import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "fast-png";
import { isDeep, parseWindow, valuesAt, wholeWindow, windowed } from "./deep.js";

/** @param {number} channels @param {number[]} values of one row */
const row = (channels, values) => ({
  width: values.length / channels,
  height: 1,
  channels,
  values: Uint16Array.from(values),
});

test("only a PNG with 16 bits a channel is deep", () => {
  const of = (/** @type {8 | 16} */ depth) =>
    encode({ width: 1, height: 1, channels: 1, depth, data: depth === 8 ? new Uint8Array(1) : new Uint16Array(1) });
  assert.ok(isDeep(of(16)));
  assert.ok(!isDeep(of(8)));
  assert.ok(!isDeep(new Uint8Array(30).fill(16)));
  assert.ok(!isDeep(new Uint8Array()));
});

test("the window is black below and white above, in proportion between", () => {
  assert.deepEqual(
    [...windowed(row(1, [0, 1000, 2000, 3000, 4000]), [1000, 3000])].filter((_, place) => place % 4 === 0),
    [0, 0, 128, 255, 255],
  );
  assert.deepEqual([...windowed(row(4, [0, 257, 65535, 32896]), [0, 65535])], [0, 1, 255, 128]);
  assert.deepEqual([...windowed(row(2, [65535, 0]), [0, 65535])], [255, 255, 255, 0]);
});

test("the whole window has the values of colours, without opacity", () => {
  assert.deepEqual(wholeWindow(row(2, [3850, 65535, 15, 0])), [15, 3850]);
  assert.deepEqual(wholeWindow(row(1, [])), [0, 65535]);
});

test("a pixel has its recorded values", () => {
  const deep = {
    width: 2,
    height: 2,
    channels: 3,
    values: Uint16Array.from({ length: 12 }, (_, place) => 5000 + place),
  };
  assert.deepEqual(valuesAt(deep, 1, 1), [5009, 5010, 5011]);
});

test("a window is two values in order", () => {
  assert.deepEqual(parseWindow("0,4095"), [0, 4095]);
  for (const text of ["", "5", "7,7", "9,1", "-1,5", "0,70000", "a,b"]) assert.equal(parseWindow(text), null);
});
