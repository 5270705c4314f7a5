import assert from "node:assert/strict";
import { test } from "node:test";
import { findingsOf, medianOf, noiseOf, verdictOf } from "./trust.js";

/** @typedef {import("./landscape.js").Landscape} Landscape */
/** @typedef {import("./landscape.js").Diagnostics} Diagnostics */

const TRUTH = {
  real: Float64Array.of(5, 3, 1),
  plane: Float64Array.of(5, 3, 1),
  residual: Float64Array.of(0.1, 0.2, NaN),
  standardError: Float64Array.of(0.1, 0.1, 0.1),
  gapError: Float64Array.of(0.01, 0.01, 0.01),
};

/** A landscape in which every finding is good.
 * @param {Partial<Diagnostics>} [diagnostics] @param {Partial<Landscape>} [changes] */
const landscape = (diagnostics = {}, changes = {}) =>
  /** @type {Landscape} */ (
    /** @type {unknown} */ ({
      run: "run",
      tag: "tag",
      tally: { lo: 1, hi: 5, lowestAt: 0, loAboveZero: 1, nonFinite: 0, notPositive: 0 },
      path: { x: Float64Array.of(0, 1, 2), intervals: [], steps: null },
      measured: {
        x: Float64Array.of(0, 1, 2),
        y: Float64Array.of(0),
        z: Float64Array.of(1, 2, 5),
        known: Uint8Array.of(1, 1, 1),
        standardError: Float64Array.of(0.01, 0.02, 0.03),
        differenceError: Float64Array.of(0, 0.002, 0.004),
        level: 3,
        levels: 3,
      },
      truth: TRUTH,
      diagnostics: {
        axes: "pca",
        energy: Float64Array.of(0.9, 0.05),
        randomWalkEnergy: Float64Array.of(0.6, 0.2),
        isRandomWalk: false,
        axisLengths: Float64Array.of(2, 3),
        axisCosine: 0,
        samples: 100,
        seed: 1,
        buffers: "none",
        isFlat: false,
        units: 100,
        differingNodes: 2,
        randomWalkResidual: 0.31,
        interpolationError: 0.01,
        eigenvalues: Float64Array.of(1, 8),
        ritzResiduals: Float64Array.of(0.5, 0.01),
        curvature: Float64Array.of(4, 1),
        provenance: {},
        ...diagnostics,
      },
      ...changes,
    })
  );

/** The values of one finding. @param {Landscape} data @param {string} key */
const valuesOf = (data, key) => findingsOf(data).find((finding) => finding.key === key)?.values ?? {};

/** The lights of the findings by key. @param {Landscape} data */
const lights = (data) => Object.fromEntries(findingsOf(data).map(({ key, light }) => [key, light]));

test("medians of even and odd counts", () => {
  assert.equal(medianOf([3, 1, 2]), 2);
  assert.equal(medianOf([4, 1, 2, 3]), 2.5);
});

test("a landscape without problems has good and plain findings only", () => {
  assert.deepEqual(lights(landscape()), {
    noise: "good",
    energy: "good",
    residual_walk: "good",
    gap_noise: "good",
    interpolation: "good",
    axes: "plain",
    curvature: "good",
    buffers_none: "plain",
  });
  assert.equal(verdictOf(findingsOf(landscape())), "good");
});

test("without diagnostics there are no findings", () => {
  assert.deepEqual(findingsOf(landscape({}, { diagnostics: null })), []);
  assert.equal(verdictOf([]), "plain");
});

test("a flat landscape and a random walk are bad, and the verdict is the most severe finding", () => {
  assert.equal(lights(landscape({ isFlat: true })).flat, "bad");
  assert.equal(lights(landscape({ isRandomWalk: true })).random_walk, "bad");
  const findings = findingsOf(landscape({ isFlat: true, axisCosine: 0.5 }));
  assert.deepEqual([verdictOf(findings), findings[0].key], ["bad", "flat"]);
  const order = findings.map(({ light }) => ["bad", "fair", "good", "plain"].indexOf(light));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
});

test("the noise is that of the differences from the origin; the level of the surface has the noise of a loss", () => {
  assert.equal(noiseOf(landscape()), 0.02);
  assert.deepEqual(valuesOf(landscape(), "noise"), { span: 4, level: 0.02, error: 0.003, samples: 100, n: 2, of: 2 });
  assert.equal(lights(landscape({}, { measured: null })).noise_unknown, "plain");
});

test("the verdict is that of the recorder: a map is fair where less than half of the nodes differ", () => {
  const wide = { ...landscape().measured, standardError: new Float64Array(3).fill(9) };
  assert.equal(lights(landscape({}, { measured: /** @type {any} */ (wide) })).noise, "good");
  assert.equal(lights(landscape({ differingNodes: 0, isFlat: true })).flat, "bad");
  const five = /** @type {any} */ ({
    ...landscape().measured,
    ...{ x: Float64Array.of(-1, 0, 1, 2, 3), z: new Float64Array(5), known: new Uint8Array(5).fill(1) },
    ...{ standardError: new Float64Array(5).fill(1), differenceError: new Float64Array(5).fill(1) },
  });
  assert.equal(lights(landscape({ differingNodes: 1 }, { measured: five })).noise_partly, "fair");
  assert.equal(lights(landscape({ differingNodes: 2 }, { measured: five })).noise, "good");
});

test("means of batches are a finding", () => {
  assert.deepEqual(valuesOf(landscape({ units: 4 }), "noise_batches"), { units: 4, samples: 100 });
  assert.ok(!("noise_batches" in lights(landscape())));
});

test("without errors of differences, the noise of a loss is stated and flatness is not certain", () => {
  const old = (/** @type {boolean} */ isFlat) => {
    const measured = /** @type {any} */ ({ ...landscape().measured, differenceError: null });
    return landscape({ isFlat, units: null, differingNodes: null }, { measured });
  };
  assert.deepEqual(valuesOf(old(false), "noise_of_losses"), { span: 4, error: 0.02, times: 200, samples: 100 });
  assert.deepEqual([lights(old(false)).noise_of_losses, lights(old(true)).noise_of_losses], ["good", "fair"]);
});

test("checkpoints far from the plane are graded by their median distance", () => {
  const graded = [0.1, 0.5, 0.9].map((residual) =>
    lights(landscape({}, { truth: { ...TRUTH, residual: Float64Array.of(residual, residual, NaN) } })),
  );
  assert.deepEqual(
    graded.map((all) => all.residual_walk),
    ["good", "fair", "bad"],
  );
  const far = { ...TRUTH, residual: Float64Array.of(0.1, 0.7, 0.3) };
  assert.deepEqual(valuesOf(landscape({ randomWalkResidual: null }, { truth: far }), "residual"), {
    median: 0.3,
    most: 0.7,
    at: 1,
  });
});

test("gaps between plane and real losses are graded by the descent, unless they are within the noise", () => {
  const withGap = (/** @type {number} */ gap, error = 0.01) =>
    lights(
      landscape(
        {},
        {
          truth: {
            ...TRUTH,
            plane: TRUTH.real.map((loss) => loss - gap),
            standardError: new Float64Array(3).fill(9),
            gapError: new Float64Array(3).fill(error),
          },
        },
      ),
    ).gap_noise;
  assert.deepEqual([withGap(0.1), withGap(0.5), withGap(2), withGap(2, 1)], ["good", "fair", "bad", "good"]);
});

test("the interpolation error is graded, and fair as long as it is unknown", () => {
  const graded = [0.01, 0.05, 0.2, null].map((interpolationError) => lights(landscape({ interpolationError })));
  assert.deepEqual(
    graded.map((all) => all.interpolation ?? all.interpolation_unknown),
    ["good", "fair", "bad", "fair"],
  );
});

test("rescaled and oblique axes are findings; axes of unit length have their own text", () => {
  const all = lights(landscape({ axes: "mindspore", axisCosine: -0.2, axisLengths: Float64Array.of(1, 1.0001) }));
  assert.deepEqual([all.rescaled_axes, all.oblique_axes, all.axes_unit], ["fair", "fair", "plain"]);
});

test("a direction much steeper than the plane, or one that has not converged, is fair", () => {
  assert.equal(lights(landscape({ eigenvalues: Float64Array.of(1, 100) })).curvature, "fair");
  assert.equal(lights(landscape({ ritzResiduals: Float64Array.of(0, 2) })).unconverged, "fair");
  assert.equal(lights(landscape({ curvature: Float64Array.of(4) })).curvature_line, "good");
  assert.equal(lights(landscape({ curvature: new Float64Array(0) })).steepest, "plain");
  assert.ok(!("curvature" in lights(landscape({ eigenvalues: new Float64Array(0) }))));
});

test("known nodes that are not finite are counted", () => {
  const measured = /** @type {any} */ ({
    ...landscape().measured,
    z: Float64Array.of(1, NaN, NaN),
    known: Uint8Array.of(1, 1, 0),
  });
  const finding = findingsOf(landscape({}, { measured })).find(({ key }) => key === "non_finite");
  assert.deepEqual(finding, { key: "non_finite", light: "fair", values: { n: 1, of: 2 } });
});

test("frozen normalization statistics are fair; an unknown policy is not mentioned", () => {
  assert.equal(lights(landscape({ buffers: "frozen" })).buffers_frozen, "fair");
  assert.ok(!Object.keys(lights(landscape({ buffers: "other" }))).some((key) => key.startsWith("buffers")));
});
