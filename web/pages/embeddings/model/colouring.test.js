import assert from "node:assert/strict";
import { test } from "node:test";
import { coloursOf, finiteRange } from "./colouring.js";

const levels = { hidden: 0, faint: 1, plain: 2, strong: 3 };
/** @type {import("./colouring.js").Shades} */
const shades = {
  categories: [
    [1, 0, 0],
    [2, 0, 0],
  ],
  plain: [9, 9, 9],
  none: [8, 8, 8],
  faint: [7, 7, 7],
};
const axes = [new Float32Array([0, 1, NaN]), new Float32Array([0, 1, NaN])];
const none = { strong: new Set(/** @type {number[]} */ ([])), levels };

/** @param {Uint8Array} colours */
const rows = (colours) => [0, 1, 2].map((at) => [...colours.slice(4 * at, 4 * at + 4)]);

test("without a column all points have one colour, and one without a position is hidden", () => {
  assert.deepEqual(rows(coloursOf(axes, null, shades, none)), [
    [9, 9, 9, 2],
    [9, 9, 9, 2],
    [9, 9, 9, 0],
  ]);
});

test("categories beyond the colours, and missing ones, share a colour", () => {
  const column = { numbers: null, names: [], counts: [], codes: new Int32Array([1, 5, -1]), distinct: 6 };

  assert.deepEqual(
    rows(coloursOf(axes, column, shades, none)).map(([red]) => red),
    [2, 8, 8],
  );
});

test("numbers have shades from the smallest to the largest one", () => {
  const column = { numbers: new Float32Array([10, 20, NaN]), names: [], counts: [], codes: null, distinct: 0 };
  const [low, high, missing] = rows(coloursOf(axes, column, shades, none));

  assert.deepEqual(low.slice(0, 3), [68, 1, 84]);
  assert.deepEqual(high.slice(0, 3), [253, 231, 37]);
  assert.deepEqual(missing.slice(0, 3), [8, 8, 8]);
});

test("beside points that stand out, the others are faint", () => {
  const colours = coloursOf(axes, null, shades, { strong: new Set([1]), levels });

  assert.deepEqual(rows(colours).slice(0, 2), [
    [7, 7, 7, 1],
    [9, 9, 9, 3],
  ]);
});

test("the range leaves out what is not finite", () => {
  assert.deepEqual(finiteRange([3, NaN, -1, Infinity]), [-1, 3]);
  assert.equal(finiteRange([NaN]), null);
});
