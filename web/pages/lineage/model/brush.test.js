import assert from "node:assert/strict";
import { test } from "node:test";
import { columnOf } from "../../../controls/run_plots/columns.js";
import { keptBy, PICK_MISSING, PICK_NON_FINITE, parseBrushes, pickOf, printBrushes } from "./brush.js";

/** @typedef {import("./brush.js").Brush} Brush */

let seed = 31;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;

test("printed brushes are parsed to the same brushes", () => {
  /** @type {Map<string, Brush>} */
  const brushes = new Map([
    ["param:lr", { lo: 1e-4, hi: 0.1 }],
    ["metric:a,b\\c", { lo: -Infinity, hi: 3 }],
    ["custom:x", { lo: -2, hi: Infinity }],
    ["param:opt", { picks: new Set([pickOf("a,b"), pickOf("="), pickOf(""), PICK_MISSING, PICK_NON_FINITE]) }],
  ]);
  assert.deepEqual(parseBrushes(printBrushes(brushes)), brushes);
});

test("invalid brushes are ignored", () => {
  for (const text of ["", "a", "a,", "a,1", "a,3..2", "a,..", "a,x..y", "a,="])
    assert.equal(parseBrushes(text).size, 0);
});

test("a run is kept if every brush keeps its value, for random runs and brushes", () => {
  const choices = ["adam", "sgd", "NaN", ""];
  for (let round = 0; round < 200; round++) {
    const count = 30;
    const numbers = Array.from({ length: count }, () => {
      const kind = random();
      return kind < 0.1 ? null : kind < 0.2 ? "NaN" : Math.round(random() * 20);
    });
    const texts = Array.from({ length: count }, () => (random() < 0.1 ? null : choices[Math.floor(random() * 4)]));
    if (texts.every((text) => text === null || text === "NaN")) continue;
    const columns = new Map([
      ["n", columnOf("metric", "n", numbers)],
      ["t", columnOf("param", "t", [...texts.slice(1), "text"])],
    ]);
    const [lo, hi] = [random() * 20, random() * 20].sort((a, b) => a - b);
    const picked = new Set(choices.filter(() => random() < 0.5));
    /** @type {Map<string, Brush>} */
    const brushes = new Map();
    if (random() < 0.8) brushes.set("n", { lo, hi });
    const hasMissing = random() < 0.5;
    if (random() < 0.8)
      brushes.set("t", { picks: new Set([...[...picked].map(pickOf), ...(hasMissing ? [PICK_MISSING] : [])]) });
    brushes.set("unknown", { lo: 5, hi: 5 });
    const slow = Array.from({ length: count }, (_, row) => {
      const [n, t] = [columns.get("n")?.values[row], columns.get("t")?.values[row]];
      const isNumberKept = !brushes.has("n") || (typeof n === "number" && n >= lo && n <= hi);
      const isTextKept = !brushes.has("t") || (t === null ? hasMissing : picked.has(String(t)));
      return Number(isNumberKept && isTextKept);
    });
    assert.deepEqual([...keptBy(columns, brushes, count)], slow);
  }
});

test("missing and non-finite numbers can be picked", () => {
  const columns = new Map([["n", columnOf("metric", "n", [1, null, "NaN", "Infinity", 2])]]);
  const kept = (/** @type {string[]} */ ...picks) => [
    ...keptBy(columns, new Map([["n", { picks: new Set(picks) }]]), 5),
  ];
  assert.deepEqual(kept(PICK_MISSING), [0, 1, 0, 0, 0]);
  assert.deepEqual(kept(PICK_NON_FINITE, pickOf("2")), [0, 0, 1, 1, 1]);
});
