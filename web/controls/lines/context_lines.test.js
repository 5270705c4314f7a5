import assert from "node:assert/strict";
import { test } from "node:test";
import { withContext } from "./context_lines.js";

/** Lines of runs r0, r1, ..., whose last finite values are their numbers.
 * @param {number} count @param {string} tag */
const linesOf = (count, tag) =>
  Array.from(
    { length: count },
    (_, place) =>
      /** @type {any} */ ({
        run: `r${place}`,
        tag,
        style: { colour: place, dash: 1 },
        ys: Float64Array.of(50 - place, place, NaN),
      }),
  );

/** @param {string} tag */
const goalOf = (tag) => (tag.includes("loss") ? "min" : tag.includes("acc") ? "max" : null);

/** @param {import("../../charts/plot.js").Line[]} lines */
const coloured = (lines) => lines.filter(({ isContext }) => !isContext).map(({ run }) => run);

test("few lines keep their colours and dashes", () => {
  const lines = linesOf(24, "loss");
  assert.equal(withContext(lines, new Set(), goalOf), lines);
});

test("of many runs the best by the direction of the metric and the marked ones have colours, and none is dashed", () => {
  const losses = withContext(linesOf(25, "val/loss"), new Set(["r20"]), goalOf);
  assert.deepEqual(coloured(losses), ["r0", "r1", "r2", "r3", "r4", "r20"]);
  assert.ok(losses.every(({ style }) => style.dash === 0));
  assert.deepEqual(coloured(withContext(linesOf(30, "val/accuracy"), new Set(), goalOf)), [
    "r25",
    "r26",
    "r27",
    "r28",
    "r29",
  ]);
});

test("without a known direction only marked runs have colours", () => {
  assert.deepEqual(coloured(withContext(linesOf(30, "lr"), new Set(["r7"]), goalOf)), ["r7"]);
});

test("a run without a finite value is not among the best", () => {
  for (const tag of ["loss", "accuracy"]) {
    const [first, ...others] = linesOf(30, tag);
    const lines = withContext([{ ...first, ys: Float64Array.of(NaN) }, ...others], new Set(), goalOf);
    assert.ok(!coloured(lines).includes("r0"), tag);
  }
});

test("the baseline keeps its dash, and lines of one run their colour", () => {
  const lines = linesOf(30, "loss").map((line) => ({ ...line, run: "one" }));
  const [baseline, ...own] = withContext([{ ...lines[0], isBaseline: true }, ...lines], new Set(), goalOf);
  assert.equal(baseline.style.dash, 1);
  assert.ok(own.every(({ style, isContext }) => style.dash === 0 && !isContext));
});
