import assert from "node:assert/strict";
import { test } from "node:test";
import { envelope, envelopeOf } from "./envelope.js";
import { projection } from "./plot.js";

/** Random numbers from 0 to 1, the same each time. @param {number} seed */
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Keeps what the server does: the ends, and the extremes of each bucket.
 * @param {number[]} values @param {number} size of a bucket */
function downsampled(values, size) {
  const kept = new Set([0, values.length - 1]);
  for (let begin = 0; begin < values.length; begin += size) {
    const places = values.map((_, at) => at).slice(begin, begin + size);
    const finite = places.filter((at) => Number.isFinite(values[at]));
    if (!finite.length) kept.add(places[0]);
    else for (const sign of [-1, 1]) kept.add(finite.reduce((a, b) => (sign * values[b] > sign * values[a] ? b : a)));
  }
  return [...kept].sort((a, b) => a - b);
}

test("the envelope covers every point that was left out, whatever the buckets and columns are", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const next = random(seed);
    const steps = [0];
    while (steps.length < 1500) steps.push(steps[steps.length - 1] + Math.ceil(40 * next() ** 8));
    const values = steps.map(() => (next() < 0.01 ? NaN : next() < 0.02 ? 50 * next() : next()));
    const kept = downsampled(values, 2 + Math.floor(40 * next()));
    const width = 10 + 400 * next();
    const columnOf = (/** @type {number} */ x) => Math.floor((x * width) / (steps[steps.length - 1] + 1));
    const { first, low, high } = envelope(
      Float64Array.from(kept, (at) => steps[at]),
      Float64Array.from(kept, (at) => values[at]),
      columnOf,
      true,
    );
    for (const [at, value] of values.entries()) {
      if (!Number.isFinite(value)) continue;
      const column = columnOf(steps[at]) - first;
      assert.ok(low[column] <= value && value <= high[column], `seed ${seed}, step ${steps[at]}`);
    }
  }
});

test("the envelope of complete points is their extremes, and bridges columns without points", () => {
  const { first, low, high } = envelope(
    Float64Array.of(2, 2, 2, 4, 5, 5),
    Float64Array.of(1, 5, 3, 7, NaN, 9),
    (x) => x,
    false,
  );
  assert.equal(first, 2);
  assert.deepEqual([...low], [1, 4, 7, 9]);
  assert.deepEqual([...high], [5, 6, 7, 9]);
});

test("a series with less than two points a pixel has no envelope", () => {
  const line = (/** @type {number} */ total) => ({
    run: "run",
    style: { colour: 0, dash: 0 },
    xs: Float64Array.of(0, 100),
    ys: Float64Array.of(1, 1),
    raw: Float64Array.of(0, 2),
    series: /** @type {any} */ ({ total, duplicates: 0 }),
  });
  const to = projection([0, 100], [0, 2], false, 200, 100, 2);
  assert.equal(envelopeOf(line(199), { left: to, right: to }), null);
  assert.deepEqual(envelopeOf(line(200), { left: to, right: to })?.high, new Float64Array(100).fill(2));
  assert.equal(envelopeOf({ ...line(1000), raw: null }, { left: to, right: to }), null);
});
