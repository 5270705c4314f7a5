import assert from "node:assert/strict";
import { test } from "node:test";
import { flowText, typeText } from "./edge_types.js";

test("a type is its dtype and its shape, as far as they are known", () => {
  assert.equal(typeText({ dtype: "float32", shape: [32, -1, 28] }), "float32 32×?×28");
  assert.equal(typeText({ dtype: "int64", shape: [] }), "int64 ()");
  assert.equal(typeText({ dtype: "int64", shape: null }), "int64");
  assert.equal(typeText(null), "");
});

test("an edge is labelled with the shape and the number of its tensors", () => {
  const type = { dtype: "float32", shape: [4, 8] };
  assert.equal(flowText([{ ...type, count: 1 }], 1), "4×8");
  assert.equal(flowText([{ ...type, count: 3 }], 3), "3 × (4×8)");
  assert.equal(flowText([{ ...type, count: 2 }], 3), "×3");
  assert.equal(flowText([], 1), "");
});
