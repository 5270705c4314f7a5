import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceOf } from "./difference.js";

const randomPixels = (count = 50) =>
  Uint8ClampedArray.from({ length: 4 * count }, () => Math.floor(Math.random() * 3) * 100);

test("pixels and statistics equal those computed pixel by pixel", () => {
  for (let round = 0; round < 100; round++) {
    const [one, other] = [randomPixels(), randomPixels()];
    const { pixels, statistics } = differenceOf(one, other);
    const expected = Array.from({ length: 50 }, (_, pixel) => {
      const channels = [0, 1, 2, 3].map((channel) => Math.abs(one[4 * pixel + channel] - other[4 * pixel + channel]));
      const colours = channels.slice(0, 3);
      return colours.some(Boolean) ? colours : [channels[3], channels[3], channels[3]];
    });
    assert.deepEqual(
      [...pixels],
      expected.flatMap((colours) => [...colours, 255]),
    );
    const all = expected.flat();
    assert.equal(statistics.largest, Math.max(...all));
    assert.ok(Math.abs(statistics.mean - all.reduce((sum, value) => sum + value, 0) / all.length) < 1e-9);
    assert.equal(statistics.differing, expected.filter((colours) => colours.some(Boolean)).length / 50);
  }
});

test("empty pictures do not differ", () => {
  const { statistics } = differenceOf(new Uint8ClampedArray(0), new Uint8ClampedArray(0));
  assert.deepEqual(statistics, { mean: 0, largest: 0, differing: 0 });
});
