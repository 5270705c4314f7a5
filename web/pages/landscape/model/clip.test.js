import assert from "node:assert/strict";
import { test } from "node:test";
import { quantileOf } from "./clip.js";

test("the quantile interpolates the sorted losses of all surfaces, like numpy.quantile", () => {
  for (let round = 0; round < 200; round++) {
    const surfaces = Array.from({ length: 1 + (round % 3) }, () =>
      Float64Array.from({ length: 1 + Math.floor(Math.random() * 30) }, () => Math.random() * 10 - 2),
    );
    surfaces[0][0] = 1;
    const scale = round % 2 ? "log" : "linear";
    const share = Math.random();
    const losses = surfaces
      .flatMap((surface) => [...surface])
      .filter((loss) => scale === "linear" || loss > 0)
      .sort((a, b) => a - b);
    const place = share * (losses.length - 1);
    const [below, above] = [losses[Math.floor(place)], losses[Math.ceil(place)]];
    const expected = below + (above - below) * (place - Math.floor(place));
    assert.ok(Math.abs(quantileOf(surfaces, scale, share) - expected) < 1e-12);
  }
});

test("losses without a height are ignored", () => {
  assert.equal(quantileOf([Float64Array.of(NaN, Infinity, 3, -Infinity, 5)], "linear", 1), 5);
  assert.equal(quantileOf([Float64Array.of(-7, 0, 3)], "log", 0), 3);
});
