import assert from "node:assert/strict";
import { test } from "node:test";
import { sparklinePaths, statisticOf, statisticSeries } from "./statistic_series.js";
import { addDifferences, binsOf, countInto, emptyDistance, emptyExtent, extendExtent } from "./statistics.js";

let seed = 23;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
const SPECIAL = [NaN, Infinity, -Infinity];
const sample = (/** @type {number} */ count) =>
  Float64Array.from({ length: count }, () =>
    random() < 0.05 ? SPECIAL[Math.floor(random() * 3)] : random() * 20 - 10,
  );

test("the extent of chunks is that of all elements", () => {
  const chunks = [sample(100), sample(1), sample(57)];
  const extent = emptyExtent();
  for (const chunk of chunks) extendExtent(extent, chunk);
  const all = chunks.flatMap((chunk) => [...chunk]);
  const finite = all.filter(Number.isFinite);
  assert.deepEqual(extent, {
    min: Math.min(...finite),
    max: Math.max(...finite),
    finite: finite.length,
    nan: all.filter(Number.isNaN).length,
    posInf: all.filter((value) => value === Infinity).length,
    negInf: all.filter((value) => value === -Infinity).length,
  });
});

test("bins cover the range, and every finite element is counted once", () => {
  for (const isWhole of [false, true])
    for (let round = 0; round < 100; round++) {
      const values = Float64Array.from({ length: 200 }, () => (random() - 0.5) * 10 ** (1 + (round % 6)));
      const numbers = isWhole ? values.map(Math.round) : values;
      const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
      const { lo, width, bins } = binsOf(min, max, isWhole, 60);
      assert.ok(bins <= 60 && lo <= min && lo + bins * width >= max - 1e-9 * Math.abs(max));
      const counts = new Float64Array(bins);
      countInto(counts, numbers, lo, width);
      counts.forEach((count, bin) => {
        const [from, to] = [lo + bin * width, lo + (bin + 1) * width];
        const slow = numbers.filter((value) => value >= from && (value < to || bin === bins - 1)).length;
        assert.ok(Math.abs(count - slow) <= 1);
      });
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        200,
      );
      if (isWhole) assert.equal(width, Math.round(width));
    }
});

test("a single value has one bin around it", () => {
  assert.deepEqual(binsOf(0, 0, false, 60), { lo: -0.5, width: 1, bins: 1 });
  assert.deepEqual(binsOf(5, 5, true, 60), { lo: 4.5, width: 1, bins: 1 });
});

test("differences in chunks give the sum, the maximum and its position", () => {
  const chunks = [sample(80), sample(33)];
  const distance = emptyDistance();
  for (const chunk of chunks) addDifferences(distance, chunk);
  const sizes = chunks.flatMap((chunk) => [...chunk].map(Math.abs));
  const finite = sizes.filter(Number.isFinite);
  assert.equal(distance.max, Math.max(...finite));
  assert.equal(distance.maxIndex, sizes.indexOf(distance.max));
  assert.equal(distance.notComparable, sizes.length - finite.length);
  assert.ok(Math.abs(distance.sum - finite.reduce((sum, size) => sum + size, 0)) < 1e-9);
  assert.deepEqual([distance.count, distance.unequal], [sizes.length, finite.filter(Boolean).length]);
  assert.equal(emptyDistance().maxIndex, -1);
});

/** @param {number} step @param {Partial<import("./statistic_series.js").Entry>} [more] */
const entry = (step, more) => ({
  step,
  wall_time: step,
  min: -1,
  max: 3,
  mean: 1,
  nan_count: 0,
  pos_inf_count: 0,
  neg_inf_count: 0,
  ...more,
});

test("a statistic that does not exist is NaN, and non-finite elements are counted together", () => {
  const bad = entry(0, { mean: null, nan_count: 1, pos_inf_count: 2, neg_inf_count: 4 });
  assert.ok(Number.isNaN(statisticOf(bad, "mean")));
  assert.equal(statisticOf(bad, "not_finite"), 7);
  assert.deepEqual([...statisticSeries("run", [entry(1), entry(5)], "max", 9).value], [3, 3]);
});

test("a sparkline is drawn inside its box, with a mark at steps with non-finite elements", () => {
  const paths = sparklinePaths([entry(0), entry(5, { nan_count: 1 }), entry(10, { max: 7 })], 100, 20);
  assert.deepEqual(paths?.bad, [50]);
  const numbers = (paths?.band.match(/-?[\d.]+/g) ?? []).map(Number);
  assert.ok(numbers.every((value, i) => value >= 0 && value <= (i % 2 ? 20 : 100)));
  assert.equal(sparklinePaths([entry(0, { min: null })], 100, 20), null);
});
