import assert from "node:assert/strict";
import { test } from "node:test";
import { PointerGestures } from "./pointer_gestures.js";
import { cssOf, mix, rgbOf, viridis } from "./rgb.js";

test("one pointer drags", () => {
  const gestures = new PointerGestures();
  gestures.down(1, { left: 10, top: 10 });
  assert.deepEqual(gestures.move(1, { left: 15, top: 8 }), { right: 5, down: -2, factor: 1, at: { left: 15, top: 8 } });
  gestures.up(1);
  assert.equal(gestures.move(1, { left: 0, top: 0 }), null);
});

test("two pointers pinch around their midpoint", () => {
  const gestures = new PointerGestures();
  gestures.down(1, { left: 0, top: 0 });
  gestures.down(2, { left: 10, top: 0 });
  assert.deepEqual(gestures.move(2, { left: 20, top: 0 }), { right: 5, down: 0, factor: 2, at: { left: 10, top: 0 } });
});

test("colours are parsed, mixed and formatted", () => {
  assert.deepEqual(rgbOf("#1f5fc4"), [31, 95, 196]);
  assert.deepEqual(mix([0, 0, 0], [100, 200, 50], 0.5), [50, 100, 25]);
  assert.equal(cssOf([1, 2, 3]), "rgb(1 2 3)");
});

test("viridis is dark at 0, bright at 1 and brightens in between", () => {
  const brightness = (/** @type {number} */ place) => viridis(place).reduce((sum, value) => sum + value, 0);
  assert.deepEqual(viridis(0), [68, 1, 84]);
  assert.deepEqual(viridis(1), [253, 231, 37]);
  for (let place = 0.1; place < 1; place += 0.1) assert.ok(brightness(place) >= brightness(place - 0.1) - 3);
});
