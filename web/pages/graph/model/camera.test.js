import assert from "node:assert/strict";
import { test } from "node:test";
import { clampCamera, fitGraph, fitRectangle, pointAt, visibleArea, zoomAt } from "./camera.js";

const FRAME = { width: 800, height: 600 };

test("zooming keeps the point under the given place, within the limits of scale", () => {
  const camera = { x: 120, y: -40, scale: 0.5 };
  const at = { left: 30, top: 555 };
  for (const factor of [0.001, 0.3, 1, 2.5, 1000]) {
    const zoomed = zoomAt(camera, factor, FRAME, at);
    const [before, after] = [pointAt(camera, FRAME, at), pointAt(zoomed, FRAME, at)];
    assert.ok(Math.hypot(after.x - before.x, after.y - before.y) < 1e-6);
    assert.ok(zoomed.scale >= 0.02 && zoomed.scale <= 4);
  }
});

test("a fitted rectangle is visible and centred, and a small one is enlarged by at most a quarter", () => {
  const camera = fitRectangle({ x: 100, y: 50, width: 4000, height: 900 }, FRAME);
  const { x, y, width, height } = visibleArea(camera, FRAME);
  assert.ok(x <= 100 && y <= 50 && x + width >= 4100 && y + height >= 950);
  assert.deepEqual([camera.x, camera.y], [2100, 500]);
  assert.equal(fitRectangle({ x: 0, y: 0, width: 10, height: 10 }, FRAME).scale, 1.25);
});

test("of a long chain the beginning is shown at a legible scale, of any other graph all", () => {
  const chain = fitGraph({ width: 180, height: 21_000 }, FRAME);
  const { y, x, width } = visibleArea(chain, FRAME);
  assert.equal(chain.scale, 0.45);
  assert.ok(y <= 0 && y > -100 && x <= 0 && x + width >= 180);
  const row = fitGraph({ width: 21_000, height: 180 }, FRAME);
  assert.ok(visibleArea(row, FRAME).x <= 0 && row.scale === 0.45);
  for (const graph of [
    { width: 3000, height: 2000 },
    { width: 20_000, height: 15_000 },
  ])
    assert.deepEqual(fitGraph(graph, FRAME), fitRectangle({ x: 0, y: 0, ...graph }, FRAME));
});

test("the visible area runs from the first corner of the frame to the last", () => {
  const camera = { x: 7, y: 9, scale: 2 };
  const { x, y, width, height } = visibleArea(camera, FRAME);
  assert.deepEqual(pointAt(camera, FRAME, { left: 0, top: 0 }), { x, y });
  assert.deepEqual(pointAt(camera, FRAME, { left: 800, top: 600 }), { x: x + width, y: y + height });
});

test("the centre of the frame stays inside the graph", () => {
  assert.deepEqual(clampCamera({ x: -5, y: 900, scale: 3 }, { width: 100, height: 50 }), { x: 0, y: 50, scale: 3 });
});
