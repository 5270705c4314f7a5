import assert from "node:assert/strict";
import { test } from "node:test";
import { clampStrength, METHODS, POSITIONS, positionOf, smoothingText, strengthAt } from "./smoothing.js";

test("a clamped strength is valid, and clamping it again changes nothing", () => {
  for (const method of METHODS) {
    for (const strength of [-1, 0, NaN, 1e-6, 0.3, 0.9999, 1, 2, 7, 8, 1e4, 1e12, Infinity]) {
      const clamped = clampStrength(method, strength);
      assert.equal(clampStrength(method, clamped), clamped, `${method} ${strength}`);
      if (method === "median" && clamped) assert.equal(clamped % 2, 1);
      if (method === "ema") assert.ok(clamped < 1);
    }
  }
});

test("every slider position is restored from its strength, to a position", () => {
  for (const method of /** @type {const} */ (["time", "median"])) {
    assert.equal(strengthAt(method, 0), 0);
    assert.equal(positionOf(method, 0), 0);
    for (let position = 1; position <= POSITIONS; position++) {
      const strength = strengthAt(method, position);
      assert.ok(strength >= strengthAt(method, position - 1));
      assert.ok(positionOf(method, strength) >= 1 && positionOf(method, strength) <= POSITIONS);
      if (strength >= 50) assert.ok(Math.abs(positionOf(method, strength) - position) <= 2, `${method} ${position}`);
    }
  }
});

test("the request parameter has no exponent", () => {
  assert.equal(smoothingText("ema", 0.9), "ema:0.9");
  assert.equal(smoothingText("time", 1e-3), "time:0.001");
  assert.equal(smoothingText("time", 1e9), "time:1000000000");
  assert.equal(smoothingText("median", 0), "");
});
