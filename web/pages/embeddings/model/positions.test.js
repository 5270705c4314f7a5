import assert from "node:assert/strict";
import { test } from "node:test";
import { aligned, positionsOf } from "./positions.js";

test("positions are centred and have one scale in all directions", () => {
  const positions = positionsOf([new Float32Array([0, 4, 8]), new Float32Array([1, NaN, 3])]);

  assert.deepEqual([...positions], [-1, -0.25, 0, 0, 0, 0, 1, 0.25, 0]);
});

test("points at one place, or without any, are at the origin", () => {
  assert.deepEqual([...positionsOf([new Float32Array([5, 5]), new Float32Array([2, 2])])], [0, 0, 0, 0, 0, 0]);
  assert.deepEqual([...positionsOf([new Float32Array([NaN]), new Float32Array([NaN])])], [0, 0, 0]);
});

test("an axis is mirrored if points would move across the middle", () => {
  const before = [new Float32Array([1, -1, NaN]), new Float32Array([2, -2, 1])];

  const [first, second] = aligned([new Float32Array([-1, 2, 1]), new Float32Array([1, -1, NaN])], before);

  assert.deepEqual([...first], [1, -2, -1]);
  assert.deepEqual([...second], [1, -1, NaN]);
  assert.deepEqual([...aligned([new Float32Array([-1])], before)[0]], [-1]);
});
