import assert from "node:assert/strict";
import test from "node:test";
import { dialectName } from "./dialects.js";

test("a format has the name of its tool, and one that is unknown its own", () => {
  assert.equal(dialectName("tensorboard"), "TensorBoard");
  assert.equal(dialectName("wandb"), "Weights & Biases");
  assert.equal(dialectName("losses"), "losses");
  assert.equal(dialectName("toString"), "toString");
});
