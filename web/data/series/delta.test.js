import assert from "node:assert/strict";
import { test } from "node:test";
import { deltaOf, percentOf, percentText, verdictOf, withSign } from "./delta.js";

test("differences exist between finite numbers only", () => {
  assert.equal(deltaOf(3, 1), 2);
  for (const value of [null, undefined, "3", NaN, Infinity]) assert.equal(deltaOf(value, 1), null);
  assert.equal(percentOf(1, -2), 150);
  assert.equal(percentOf(1, 0), null);
});

test("an improvement follows the goal of the metric", () => {
  assert.equal(verdictOf(0.1, "max"), "better");
  assert.equal(verdictOf(0.1, "min"), "worse");
  assert.equal(verdictOf(0, "min"), "");
  assert.equal(verdictOf(null, "min"), "");
});

test("differences are written with their sign", () => {
  assert.equal(withSign(-2, "2"), "−2");
  assert.equal(percentText(12.345), "+12.3 %");
  assert.equal(percentText(0), "0.0 %");
  assert.equal(percentText(-123456), "−1.23e+5 %");
});
