import assert from "node:assert/strict";
import { test } from "node:test";
import { landscapeOf } from "./landscape.js";
import { lossRange, parabola, sliceAlong, slicesOfPath } from "./slices.js";

/** @param {object} changes */
const landscape = (changes = {}) =>
  landscapeOf(
    /** @type {any} */ ({
      run: "run",
      tag: "tag",
      wall_time: 1,
      publication: 0,
      publications: { step: [1], wall_time: [1] },
      error: null,
      kind: null,
      x: [0, 1, 2],
      y: [0, 1],
      z: [
        [0, 1, 4],
        [2, 3, "NaN"],
      ],
      path: null,
      convergence_point: null,
      metadata: { decomposition: null, unit: null, step_per_epoch: null },
      level: null,
      measured: null,
      truth: null,
      diagnostics: {},
      ...changes,
    }),
    null,
  );

const MEASURED = {
  x: [0, 2],
  y: [0, 1],
  z: [
    [0, 4],
    [2, "NaN"],
  ],
  known: [
    [true, true],
    [true, false],
  ],
  standard_error: [
    [0.1, 0.3],
    [0.1, 0.1],
  ],
  difference_error: null,
  levels: 1,
};

test("a slice has the interpolated losses and standard errors along an axis", () => {
  const data = landscape({ measured: MEASURED });
  const drawn = { x: data.x, y: data.y, heights: data.z };
  const along = sliceAlong(data, drawn, (height) => 10 * height, "x", { x: 0, y: 0.5 });
  assert.deepEqual([...along.at, ...along.losses], [0, 1, 2, 10, 20, NaN]);
  const first = sliceAlong(data, drawn, (height) => height, "x", { x: 0, y: 0 });
  assert.deepEqual(
    [...first.errors].map((error) => Number(error.toFixed(9))),
    [0.1, 0.2, 0.3],
  );
  const paired = landscape({
    measured: {
      ...MEASURED,
      difference_error: [
        [0, 0.02],
        [0.01, 0.01],
      ],
    },
  });
  const narrow = sliceAlong(paired, drawn, (height) => height, "x", { x: 0, y: 0 });
  assert.deepEqual(
    [...narrow.errors].map((error) => Number(error.toFixed(9))),
    [0, 0.01, 0.02],
  );
  assert.deepEqual([...sliceAlong(data, drawn, (height) => height, "y", { x: 1, y: 0 }).losses], [1, 3]);
});

test("a path without real losses has only the losses on the surface", () => {
  const path = { x: [0, 1], y: [0, 0], z: [3, 2], intervals: [] };
  assert.equal(slicesOfPath(landscape()), null);
  const { real, plane } = slicesOfPath(landscape({ path })) ?? {};
  assert.equal(real, null);
  assert.deepEqual([...(plane?.at ?? []), ...(plane?.losses ?? [])], [1, 2, 3, 2]);
  const truth = { real: [3.5, 2], plane: [3, 1.5], residual: [0, 0], standard_error: [0.1, 0.1], gap_error: [0.02, 0] };
  const known = slicesOfPath(landscape({ path, truth }));
  assert.deepEqual([...(known?.real?.losses ?? []), ...(known?.plane?.losses ?? [])], [3.5, 2, 3, 1.5]);
  assert.deepEqual([...(known?.real?.errors ?? [])], [0.02, 0]);
});

test("a parabola has its minimum at the model and the given second derivative by length", () => {
  const { losses } = parabola(Float64Array.of(-1, 0, 0.5), 2, 8, 3);
  assert.deepEqual([...losses], [2 + 4 * 9, 2, 2 + 4 * 2.25]);
});

test("the loss range includes the errors and ignores losses that are not finite", () => {
  const slice = {
    at: Float64Array.of(0, 1, 2),
    losses: Float64Array.of(1, NaN, 5),
    errors: Float64Array.of(0.5, 9, NaN),
  };
  assert.deepEqual(lossRange([slice]), [0.5, 5]);
  assert.equal(lossRange([{ ...slice, losses: Float64Array.of(NaN, NaN, Infinity) }]), null);
});
