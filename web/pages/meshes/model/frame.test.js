import assert from "node:assert/strict";
import { test } from "node:test";
import { frameAround, frameOfVertices } from "./frame.js";

test("a frame is a sphere around all vertices of all meshes", () => {
  const one = frameOfVertices(Float32Array.of(0, 0, 0, 2, 0, 0, 1, 0.5, 0));
  const other = frameOfVertices(Float32Array.of(5, 0, 0, 5, 0.5, 0));
  assert.ok(one && other);

  assert.deepEqual(one.centre, [1, 0.25, 0]);
  assert.equal(one.radius, Math.hypot(1, 0.25));
  assert.deepEqual(frameAround([one]), one);
  assert.deepEqual(frameAround([one, other]).centre, [3, 0.25, 0]);
  assert.equal(frameAround([one, other]).radius, 2 + one.radius);
});

test("a single point and no point at all have a frame", () => {
  assert.equal(frameOfVertices(new Float32Array()), null);
  assert.deepEqual(frameAround([]), { centre: [0, 0, 0], radius: 1 });
  assert.deepEqual(frameAround([{ centre: [5, 5, 5], radius: 0 }]), { centre: [5, 5, 5], radius: 1 });
});
