import assert from "node:assert/strict";
import { test } from "node:test";
import { byRelevance, kindOf, mainParameters, stagesOf } from "./kinds/dataset_stages.js";
import { operationText, parseOperation, truncated, valueText } from "./kinds/dataset_value.js";

/** @param {string} op_type @param {any[]} [children] @param {any} [parameters] */
const stage = (op_type, children = [], parameters = {}) => ({
  op_type,
  parameters,
  operations: [],
  sampler: null,
  children,
});

test("stages are listed breadth-first from the last one, and the rest is counted", () => {
  const last = stage("Batch", [stage("Zip", [stage("MnistDataset"), stage("Map", [stage("TFRecord")])])]);
  const { placed, leftOut } = stagesOf(last, 10);
  assert.deepEqual(
    placed.map(({ id }) => id),
    ["0", "0.0", "0.0.0", "0.0.1", "0.0.1.0"],
  );
  assert.deepEqual(
    placed.map(({ stage: { op_type: name, ...rest } }) => kindOf({ op_type: name, ...rest })),
    ["batch", "combine", "source", "map", "source"],
  );
  assert.equal(leftOut, 0);
  assert.equal(stagesOf(last, 4).leftOut, 1);
});

test("relevant parameters are first, settings of the execution last and not in the box", () => {
  const parameters = { num_parallel_workers: 4, extra: 1, batch_size: 32, cache: null, usage: "train", empty: [null] };
  assert.deepEqual(byRelevance(parameters).slice(0, 2), ["usage", "batch_size"]);
  assert.deepEqual(mainParameters(stage("Batch", [], parameters)), [
    ["usage", "train"],
    ["batch_size", 32],
    ["extra", 1],
  ]);
});

test("values are formatted on one line", () => {
  assert.equal(valueText([1, null, { a: [2, 3], b: "x" }]), "1, –, a=(2, 3), b=x");
});

test("operations of MindSpore have their parameters as JSON", () => {
  const operation = { tensor_op_name: "Resize", tensor_op_params: '{"size": [32, 32]}' };
  assert.deepEqual(parseOperation(operation), { name: "Resize", parameters: { size: [32, 32] } });
  assert.equal(operationText(operation), "Resize(size=(32, 32))");
  assert.deepEqual(parseOperation({ op_type: "Flip", tensor_op_params: "not JSON" }), {
    name: "Flip",
    parameters: { tensor_op_params: "not JSON" },
  });
});

test("a text is truncated to its width, in which Chinese characters count as two", () => {
  assert.equal(truncated("abcdef", 6), "abcdef");
  assert.equal(truncated("abcdefg", 6), "abcde…");
  assert.equal(truncated("数据集", 6), "数据集");
  assert.equal(truncated("数据集x", 6), "数据…");
});
