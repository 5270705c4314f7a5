import assert from "node:assert/strict";
import { test } from "node:test";
import { columnOf } from "../../../controls/run_plots/columns.js";
import { orderedByTarget } from "./category_order.js";

test("the category with the largest mean is first; those without a result are last", () => {
  const optimizer = columnOf("param", "optimizer", ["adam", "sgd", "adam", "lion", null, "none", "sgd"]);
  const accuracy = columnOf("metric", "accuracy", [0.5, 0.8, 0.7, 0.9, 1, null, NaN]);
  assert.deepEqual(orderedByTarget(optimizer, accuracy).categories, ["lion", "sgd", "adam", "none"]);
});

test("several categories without a result keep their order", () => {
  const column = columnOf("param", "kind", ["b", "a", "c"]);
  const target = columnOf("metric", "accuracy", [null, null, 1]);
  assert.deepEqual(orderedByTarget(column, target).categories, ["c", "a", "b"]);
});
