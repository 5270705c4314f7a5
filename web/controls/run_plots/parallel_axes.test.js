import assert from "node:assert/strict";
import { test } from "node:test";
import { columnOf } from "./columns.js";
import { drawLine } from "./line_raster.js";
import { frameOf, heightAt, pathOf, placeAt, rowAt } from "./parallel_axes.js";
import { MISSING, NON_FINITE, scaleOf } from "./scale.js";

let seed = 41;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;

/** @param {number[]} places of all rows */
const scaleAt = (...places) => ({
  ...scaleOf(columnOf("param", "", places), false),
  places: Float32Array.from(places),
});

test("lanes for non-finite and missing values are below the axis and inside the height", () => {
  for (const [hasNonFinite, hasMissing] of [
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ]) {
    const frame = frameOf(256, [{ column: { hasNonFinite, hasMissing } }]);
    assert.ok(frame.top < frame.bottom && frame.bottom < 256);
    if (hasMissing) assert.ok(heightAt(MISSING, frame) > frame.bottom && heightAt(MISSING, frame) < 256);
    if (hasNonFinite) assert.ok(heightAt(NON_FINITE, frame) > frame.bottom);
    if (hasMissing && hasNonFinite) assert.ok(heightAt(MISSING, frame) > heightAt(NON_FINITE, frame));
    assert.ok(Math.abs(placeAt(heightAt(0.3, frame), frame) - 0.3) < 1e-9);
  }
});

test("the path of a run visits its place on every axis", () => {
  const frame = frameOf(200, []);
  const path = pathOf({ scales: [scaleAt(0), scaleAt(1)], spacing: 100, frame }, 0);
  assert.equal(path, `M0.0 ${frame.bottom.toFixed(1)}L100.0 ${frame.top.toFixed(1)}`);
});

test("the row at a point has the closest line, for random rows", () => {
  const frame = frameOf(256, []);
  const scales = Array.from({ length: 4 }, () => scaleAt(...Array.from({ length: 60 }, random)));
  const kept = Array.from({ length: 60 }, (_, row) => row).filter((row) => row % 3);
  for (let round = 0; round < 300; round++) {
    const [x, y] = [random() * 300, random() * 256];
    const at = Math.min(2, Math.floor(x / 100));
    const distance = (/** @type {number} */ row) => {
      const share = x / 100 - at;
      const height =
        heightAt(scales[at].places[row], frame) * (1 - share) + heightAt(scales[at + 1].places[row], frame) * share;
      return Math.abs(height - y);
    };
    const closest = kept.toSorted((a, b) => distance(a) - distance(b))[0];
    assert.equal(rowAt({ scales, kept, spacing: 100, frame }, x, y, 8), distance(closest) < 8 ? closest : null);
  }
  assert.equal(rowAt({ scales: scales.slice(0, 1), kept, spacing: 100, frame }, 0, 100, 1000), null);
});

test("a drawn line covers one pixel per column or row, and stays inside the image", () => {
  for (let round = 0; round < 300; round++) {
    const [width, height] = [40, 30];
    const bytes = new Uint8ClampedArray(4 * width * height);
    const [from, to] = [random() * 60 - 15, random() * 60 - 15];
    drawLine({ bytes, width, height }, from, to, [255, 255, 255], 256);
    let painted = 0;
    for (let at = 0; at < bytes.length; at += 4) painted += bytes[at] / 255;
    const share = Math.max(
      0,
      (Math.min(height, Math.max(from, to)) - Math.max(0, Math.min(from, to))) / Math.abs(to - from),
    );
    const length = Math.max(width, Math.abs(to - from));
    assert.ok(Math.abs(painted - share * length) < 4, `${from} ${to}: ${painted} ${share * length}`);
  }
});
