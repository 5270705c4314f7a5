import assert from "node:assert/strict";
import { test } from "node:test";
import { FITTING, fitScale, moved, parseCamera, pixelAt, placement, printCamera, zoomed } from "./camera.js";

const FRAME = { width: 600, height: 400 };
const PICTURE = { width: 64, height: 32 };

const randomCamera = () => ({ zoom: 0.2 + Math.random() * 5, x: Math.random(), y: Math.random() });

test("a fitting picture touches two sides of the frame and is centred", () => {
  const { scale, left, top } = placement(FITTING, FRAME, PICTURE);
  assert.equal(scale, fitScale(FRAME, PICTURE));
  assert.deepEqual([left, top], [0, (400 - 32 * scale) / 2]);
});

test("the pixel at a point is the one whose area contains it", () => {
  for (let round = 0; round < 300; round++) {
    const camera = randomCamera();
    const { scale, left, top } = placement(camera, FRAME, PICTURE);
    const [x, y] = [Math.floor(Math.random() * 64), Math.floor(Math.random() * 32)];
    const at = { left: left + (x + 0.01 + Math.random() * 0.98) * scale, top: top + (y + 0.5) * scale };
    assert.deepEqual(pixelAt(camera, FRAME, PICTURE, at), { x, y });
    assert.equal(pixelAt(camera, FRAME, PICTURE, { left: left - 1, top: at.top }), null);
  }
});

test("zooming keeps the point under the pointer, unless the centre would leave the picture", () => {
  for (let round = 0; round < 300; round++) {
    const camera = randomCamera();
    const at = { left: Math.random() * 600, top: Math.random() * 400 };
    const next = zoomed(camera, 0.5 + Math.random() * 2, FRAME, PICTURE, at);
    if ([next.x, next.y].some((share) => share === 0 || share === 1)) continue;
    const [before, after] = [camera, next].map((each) => {
      const { scale, left, top } = placement(each, FRAME, PICTURE);
      return [(at.left - left) / scale, (at.top - top) / scale];
    });
    assert.ok(Math.hypot(before[0] - after[0], before[1] - after[1]) < 1e-6);
  }
});

test("the zoom is limited, and the centre stays in the picture", () => {
  assert.ok(placement(zoomed(FITTING, 1e9, FRAME, PICTURE, { left: 0, top: 0 }), FRAME, PICTURE).scale <= 96);
  assert.equal(zoomed(FITTING, 1e-9, FRAME, PICTURE, { left: 0, top: 0 }).zoom, 0.1);
  const { x, y } = moved(FITTING, 1e6, -1e6, FRAME, PICTURE);
  assert.deepEqual([x, y], [0, 1]);
});

test("panning moves the picture by as many screen pixels", () => {
  const camera = { zoom: 2, x: 0.5, y: 0.5 };
  const [before, after] = [camera, moved(camera, 10, -5, FRAME, PICTURE)].map((each) =>
    placement(each, FRAME, PICTURE),
  );
  assert.deepEqual([Math.round(after.left - before.left), Math.round(after.top - before.top)], [10, -5]);
});

test("a camera in the URL is restored to five digits; anything else is a fitting picture", () => {
  assert.equal(printCamera(FITTING), "");
  const camera = randomCamera();
  const restored = parseCamera(printCamera(camera));
  for (const name of /** @type {const} */ (["zoom", "x", "y"]))
    assert.ok(Math.abs(restored[name] - camera[name]) <= camera[name] * 1e-4);
  for (const text of ["", "1", "a,b,c", "-1,0.5,0.5", "2,0.5,7", "Infinity,0.5,0.5"])
    assert.equal(parseCamera(text), FITTING);
});
