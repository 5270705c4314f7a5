import assert from "node:assert/strict";
import { test } from "node:test";
import { commonStepMetric, parseDefinitions, stepMetricOf } from "../../../data/series/defined_axes.js";
import { lineSettings, withinRange } from "./line_settings.js";
import { MAX_SOURCES, sourcesOf } from "./line_sources.js";
import { marginsOf, valuesAt } from "./margins.js";

const DEFAULTS = lineSettings({});

test("invalid settings become the defaults", () => {
  const invalid = {
    tags: ["a", 3, ""],
    patterns: "x",
    axis: 7,
    smooth: "ema:lots",
    raw: "thick",
    range: { y: [3, 1], x: "no" },
    log: "yes",
    legend: "sideways",
    colours: null,
    join: "outer",
    rate: 1,
  };
  assert.deepEqual(lineSettings(invalid), { ...DEFAULTS, tags: ["a"] });
});

test("valid settings are kept", () => {
  const settings = lineSettings({
    axis: "tag:epoch",
    smooth: "median:11",
    raw: "off",
    range: { y: [0, null] },
    log: true,
    join: "last",
  });
  assert.deepEqual(
    [settings.axis, settings.x, settings.smooth, settings.raw, settings.range.y, settings.log, settings.join],
    ["value", "epoch", "median:11", "off", [0, null], true, "last"],
  );
});

test("a range with one end keeps the other end automatic, and is never empty", () => {
  assert.deepEqual(withinRange([null, null], [1, 2]), [1, 2]);
  assert.deepEqual(withinRange([0, null], [1, 2]), [0, 2]);
  for (const [lo, hi] of [
    [5, null],
    [null, -5],
  ]) {
    const [low, high] = withinRange([lo, hi], [1, 2]);
    assert.ok(low < high && (lo === null || low === lo) && (hi === null || high === hi));
  }
});

test("tags, matching tags and expressions are drawn once, on the side that was chosen for them", () => {
  const settings = {
    ...DEFAULTS,
    tags: ["b"],
    patterns: ["^a", "b"],
    expressions: ["b", "a/1 - b"],
    right: ["^a", "a/1 - b"],
  };
  const { sources, errors } = sourcesOf(settings, ["a/1", "a/2", "b", "c"]);
  assert.deepEqual(
    sources.map(({ name, isExpression, side }) => [name, isExpression, side]),
    [
      ["b", false, "left"],
      ["a/1", false, "right"],
      ["a/2", false, "right"],
      ["b", true, "left"],
      ["a/1 - b", true, "right"],
    ],
  );
  assert.deepEqual(errors, []);
});

test("too many tags are counted, and an invalid pattern is reported and draws nothing", () => {
  const tags = Array.from({ length: MAX_SOURCES + 5 }, (_, at) => `t${at}`);
  assert.equal(sourcesOf({ ...DEFAULTS, patterns: ["t"] }, tags).leftOut, 5);
  const { sources, errors } = sourcesOf({ ...DEFAULTS, patterns: ["("] }, tags);
  assert.deepEqual(sources, []);
  assert.match(errors[0], /^\(: /);
});

test("values between points are interpolated, and are NaN outside of them", () => {
  const points = { xs: [0, 2, 4], ys: [0, 20, 0] };
  assert.deepEqual([...valuesAt(points, [-1, 0, 1, 2, 3.5, 4, 5])], [NaN, 0, 10, 20, 5, 0, NaN]);
  assert.deepEqual([...valuesAt({ xs: [], ys: [] }, [1])], [NaN]);
});

test("margins without all three tags are left out", () => {
  const whole = { value: "a", lower: "b", upper: "c" };
  assert.deepEqual(marginsOf([whole, { value: "a", lower: "b" }, null, 3]), [whole]);
  assert.deepEqual(marginsOf("no"), []);
});

test("the definition of a metric, or else the longest pattern, names its x axis", () => {
  const definitions = parseDefinitions(
    JSON.stringify({
      "*": { step_metric: "all" },
      "val/*": { step_metric: "epoch" },
      "val/loss": { goal: "minimize" },
      epoch: {},
    }),
  );
  assert.equal(stepMetricOf("val/accuracy", definitions), "epoch");
  assert.equal(stepMetricOf("val/loss", definitions), "");
  assert.equal(stepMetricOf("train/loss", definitions), "all");
  assert.equal(stepMetricOf("all", definitions), "");
  for (const text of [null, "{", "3", 7]) assert.equal(stepMetricOf("loss", parseDefinitions(text)), "");
});

test("tags have the axis that all of them are defined to have", () => {
  const definitions = { "validation/*": { step_metric: "epoch" }, "train/*": { step_metric: "samples" } };
  const axisOf = (/** @type {string[]} */ ...names) =>
    commonStepMetric(
      names.map((name) => ({ name, isExpression: name.includes(" "), side: "left" })),
      definitions,
    );
  assert.equal(axisOf("validation/loss", "validation/accuracy"), "epoch");
  assert.equal(axisOf("validation/loss", "train/loss"), "");
  assert.equal(axisOf("validation/loss", "other"), "");
  assert.equal(axisOf("validation/loss", "validation/loss - 1"), "");
  assert.equal(axisOf(), "");
});
