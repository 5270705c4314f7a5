import assert from "node:assert/strict";
import { test } from "node:test";
import { areWhole, axisTicks, containsCounts, labelWidth, shareOf } from "./ticks.js";

/** @typedef {import("./ticks.js").Room} Room */

/** @param {import("./ticks.js").Axis} axis @param {[number, number]} window @param {Partial<Room>} [room] */
const labels = (axis, window, room) => axisTicks(axis, window, { length: 300, ...room }).labels;

test("steps are whole, with the unit of the largest", () => {
  assert.deepEqual(labels("step", [0, 200_000]), ["0", "50k", "100k", "150k", "200k"]);
  assert.deepEqual(labels("step", [0, 2000]), ["0", "0.5k", "1k", "1.5k", "2k"]);
  assert.deepEqual(labels("step", [0, 4]), ["0", "1", "2", "3", "4"]);
  assert.deepEqual(labels("step", [4.5, 5.5]), ["5"]);
});

test("an axis has one notation", () => {
  assert.deepEqual(labels("value", [0, 0.0013], { isVertical: true, length: 150 }), ["0", "0.0005", "0.001"]);
  assert.deepEqual(labels("value", [0, 0.0009], { isVertical: true, length: 150 }), [
    "0",
    "2e-4",
    "4e-4",
    "6e-4",
    "8e-4",
  ]);
  assert.deepEqual(labels("value", [1e-4, 5e3], { log: true }), ["1e-4", "1e-2", "1e0", "1e2"]);
  assert.deepEqual(labels("value", [0.5, 5e3], { log: true }), ["1", "10", "100", "1k"]);
});

test("labels that would be long are written beyond an offset", () => {
  const { labels: texts, offset } = axisTicks("value", [1.5e9, 1.5e9 + 10], { length: 120, isVertical: true });
  assert.deepEqual([texts, offset], [["+0", "+5", "+10"], "1,500,000,000"]);
});

test("times have the units of their distance", () => {
  const start = new Date(2026, 10, 21, 22, 10).getTime() / 1000;
  assert.deepEqual(labels("wall_time", [start, start + 4 * 3600], { length: 400 }), [
    "23:00",
    "11-22",
    "01:00",
    "02:00",
  ]);
  assert.deepEqual(labels("wall_time", [start, start + 1700 * 86400], { length: 400 }), [
    "2027",
    "2028",
    "2029",
    "2030",
    "2031",
  ]);
  assert.equal(axisTicks("wall_time", [start, start + 6 * 86400], { length: 400 }).offset, "2026");
  assert.deepEqual(labels("relative", [0, 90], { length: 400 }), ["0s", "15s", "30s", "45s", "1m", "1m15s", "1m30s"]);
  assert.deepEqual(labels("relative", [0, 7200], { length: 400 }), ["0", "30m", "1h", "1h30m", "2h"]);
  assert.deepEqual(labels("relative", [0, 86400], { length: 200 }), ["0", "12h", "24h"]);
  assert.deepEqual(labels("relative", [0, 0.2], { length: 400 }), ["0.00s", "0.05s", "0.10s", "0.15s", "0.20s"]);
});

test("a logarithmic axis of durations has units", () => {
  assert.deepEqual(labels("relative", [1, 7200], { log: true, length: 400 }), ["1s", "10s", "1m", "10m", "1h"]);
  const narrow = axisTicks("relative", [4, 4.5], { log: true, length: 400 });
  assert.match(narrow.offset, /s$/);
});

let state = 7;
/** A number from 0 to 1, of a generator with a seed: mulberry32. */
function draw() {
  state = (state + 0x6d2b79f5) | 0;
  let bits = Math.imul(state ^ (state >>> 15), 1 | state);
  bits ^= bits + Math.imul(bits ^ (bits >>> 7), 61 | bits);
  return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
}
const between = (/** @type {number} */ lo, /** @type {number} */ hi) => lo + (hi - lo) * draw();
/** A range that is more than a few representable numbers wide. @param {number} middle @param {number} size */
const around = (middle, size) => {
  const half = Math.max(size, Math.abs(middle) * 2 ** -46);
  return /** @type {[number, number]} */ ([middle - half, middle + half * between(0.1, 1)]);
};

/** Random ranges by kind. @type {Record<string, () => [import("./ticks.js").Axis, [number, number], boolean]>} */
const RANGES = {
  linear: () => {
    const sign = draw() < 0.5 ? -1 : 1;
    return ["value", around(sign * 10 ** between(-320, 308), 10 ** between(-320, 308)), false];
  },
  log: () => {
    const [a, b] = [between(-320, 308), between(-320, 308)].sort((x, y) => x - y);
    return ["value", draw() < 0.5 ? [10 ** a, 10 ** b] : [10 ** a, 10 ** (a + between(1e-9, 3))], true];
  },
  steps: () => {
    const lo = Math.floor(2 ** between(0, 63));
    return ["step", [lo, lo + Math.max(3, lo * 2 ** -46, Math.floor(2 ** between(2, 63)))], false];
  },
  durations: () => ["relative", [0, 10 ** between(-9, 12)], false],
  "durations on a logarithmic axis": () => {
    const power = between(-9, 11);
    return ["relative", [10 ** power, 10 ** (power + between(1e-6, 1 + 11 - power))], true];
  },
  "whole numbers on a logarithmic axis": () => {
    const lo = Math.floor(2 ** between(0, 60));
    return ["step", [lo, lo + Math.max(3, lo * 2 ** -46, Math.floor(2 ** between(2, 63)))], true];
  },
  times: () => {
    const lo = between(0, 253_000_000_000);
    return ["wall_time", [lo, lo + Math.max(lo * 2 ** -46, 10 ** between(-3, 11))], false];
  },
};

/** Of each kind; AXIS_RANGES=100000 takes about a minute. */
const ROUNDS = Number(process.env.AXIS_RANGES ?? 3000);

for (const [kind, range] of Object.entries(RANGES))
  test(`random ranges of ${kind}: three to eight labels that differ and do not overlap`, () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [axis, window, log] = range();
      if (!(window[0] < window[1] && window[1] < Infinity && window[0] > -Infinity)) continue;
      const isVertical = draw() < 0.4;
      const length = isVertical ? between(60, 800) : between(80, 2000);
      const { ticks, labels: texts } = axisTicks(axis, window, { length, isVertical, log });
      const places = ticks.map((tick) => length * shareOf(tick, window, log));
      const isFree = places.every(
        (place, at) =>
          at === 0 ||
          place - places[at - 1] >= (isVertical ? 12 : (labelWidth(texts[at]) + labelWidth(texts[at - 1])) / 2 + 2),
      );
      const areInside = places.every((place) => place >= -1 && place <= length + 1);
      const isRight = texts.length >= 3 && texts.length <= 8 && new Set(texts).size === texts.length;
      if (!isFree || !areInside || !isRight)
        assert.fail(`${axis} ${window} ${log} ${isVertical} ${length}: ${texts.join(" ")} at ${places}`);
    }
  });

test("counts are recognised among non-finite values", () => {
  assert.ok(areWhole([[1, NaN, 3], [Infinity]]));
  assert.ok(!areWhole([[1, 2.5]]));
});

test("a range with few whole numbers has labels between them", () => {
  assert.ok(!containsCounts([0.9, 1.1]));
  assert.ok(!containsCounts([0.1, 2.9]));
  assert.ok(containsCounts([0, 2]));
});
