import assert from "node:assert/strict";
import { test } from "node:test";
import { isCoarse, momentsOf } from "./images.js";

/** @param {number} step @param {number} index @param {string} url */
const entry = (step, index, url) => ({
  step,
  wall_time: step * 10,
  index,
  width: 8,
  height: 8,
  animated: false,
  deep: false,
  truncated: false,
  url,
});

test("the images of a step are one moment; a step recorded again replaces them", () => {
  const moments = momentsOf([entry(1, 0, "a"), entry(1, 1, "b"), entry(2, 0, "c"), entry(2, 0, "d"), entry(2, 1, "e")]);
  assert.deepEqual(
    moments.map(({ step, wallTime, pictures }) => [step, wallTime, ...pictures.map(({ url }) => url)]),
    [
      [1, 10, "a", "b"],
      [2, 20, "d", "e"],
    ],
  );
});

test("only pictures of known small width are drawn with hard pixel edges", () => {
  const coarse = [8, 199, 200, null].map((width) =>
    isCoarse({ url: "", width, height: 8, animated: false, deep: false, truncated: false }),
  );
  assert.deepEqual(coarse, [true, true, false, false]);
});
