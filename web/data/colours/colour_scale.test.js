import assert from "node:assert/strict";
import { test } from "node:test";
import { colourScale } from "./colour_scale.js";
import { COLOURS, NO_VALUE, SHADES } from "./run_styles.js";

test("numbers have shades from the smallest to the largest", () => {
  const { colourOf, lo, hi, isLog, categories } = colourScale([3, 1, null, 2, NaN]);
  assert.deepEqual([lo, hi, isLog, categories], [1, 3, false, []]);
  assert.equal(colourOf(1), COLOURS);
  assert.equal(colourOf(2), COLOURS + SHADES / 2);
  assert.equal(colourOf(3), COLOURS + SHADES - 1);
  assert.deepEqual([colourOf(null), colourOf(NaN), colourOf(Infinity)], [NO_VALUE, NO_VALUE, NO_VALUE]);
});

test("learning rates over magnitudes have shades by their logarithm", () => {
  const { colourOf, isLog } = colourScale([1e-5, 1e-4, 1e-3, 1e-1]);
  assert.ok(isLog);
  assert.equal(colourOf(1e-3), COLOURS + SHADES / 2);
});

test("texts have colours of their own in natural order, whatever the order of the runs", () => {
  const { colourOf, categories } = colourScale(["sgd", "adam10", null, "adam2", "sgd"]);
  assert.deepEqual(categories, ["adam2", "adam10", "sgd"]);
  assert.deepEqual(["adam2", "adam10", "sgd", null].map(colourOf), [0, 1, 2, NO_VALUE]);
});

test("values of both kinds are texts, and one value has one colour", () => {
  assert.deepEqual(colourScale([1, "auto"]).categories, ["1", "auto"]);
  assert.equal(colourScale([5, 5]).colourOf(5), COLOURS + SHADES / 2);
  assert.equal(colourScale([null, NaN]).colourOf(NaN), NO_VALUE);
});
