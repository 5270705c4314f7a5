import assert from "node:assert/strict";
import { test } from "node:test";
import { contourPaths, coordinatesAt, extentOf, toLeft, toTop } from "./map.js";

/** @type {import("./map.js").Frame} */
const FRAME = { left: 50, top: 10, width: 400, height: 300, x: [-1, 3], y: [2, 5] };

test("pixels and coordinates are inverse", () => {
  for (let round = 0; round < 100; round++) {
    const [left, top] = [50 + Math.random() * 400, 10 + Math.random() * 300];
    const [x, y] = coordinatesAt(FRAME, left, top);
    assert.ok(Math.abs(toLeft(FRAME, x) - left) < 1e-9 && Math.abs(toTop(FRAME, y) - top) < 1e-9);
  }
});

test("an axis with one coordinate gets a range around it", () => {
  assert.deepEqual(extentOf([3, 1, -2]), [-2, 3]);
  assert.deepEqual(extentOf([2]), [1.5, 2.5]);
});

test("labels are inside the frame and avoid each other and the covered points", () => {
  const size = 41;
  const axis = Float64Array.from({ length: size }, (_, at) => -1 + (at / (size - 1)) * 4);
  const y = Float64Array.from({ length: size }, (_, at) => 2 + (at / (size - 1)) * 3);
  const heights = Float64Array.from({ length: size * size }, (_, at) =>
    Math.hypot((at % size) - 20, Math.floor(at / size) - 20),
  );
  const covered = [{ left: 250, top: 100 }];
  const { contours, areas, labels } = contourPaths({ x: axis, y, heights }, [4, 8, 12, 16], FRAME, () => 30, covered);
  assert.deepEqual([contours.length, areas.length], [4, 4]);
  assert.ok(labels.length >= 4);
  for (const { left, top } of labels) {
    assert.ok(left > 65 && left < 435 && top > 10 && top < 310);
    assert.ok(Math.abs(left - 250) >= 17 || Math.abs(top - 100) >= 16);
  }
  labels.forEach((label, at) => {
    for (const other of labels.slice(at + 1))
      assert.ok(Math.abs(label.left - other.left) >= 30 || Math.abs(label.top - other.top) >= 16);
  });
});

test("a grid with missing points has no contour along their edge", () => {
  const [x, y] = [Float64Array.of(-1, 1, 3), Float64Array.of(2, 5)];
  const { known, areas, contours } = contourPaths(
    { x, y, heights: Float64Array.of(1, 1, NaN, 1, 1, NaN) },
    [0.5],
    FRAME,
    () => 30,
    [],
  );
  assert.equal(areas[0].path, known);
  assert.deepEqual(contours, []);
});
