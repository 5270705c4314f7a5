import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "./csv.js";
import { flatPipeline } from "./pipeline.js";

/** @param {string} type @param {any[]} children @param {object} [more] @returns {any} */
const stage = (type, children, more) => ({
  op_type: type,
  parameters: {},
  operations: [],
  sampler: null,
  children,
  ...more,
});

test("a pipeline is flattened from its sources, and repeated stages are numbered", () => {
  const source = stage("Mnist", [], { parameters: { connector_queue_size: 16, columns: ["image", "label"] } });
  const cast = (/** @type {string} */ type) => ({
    tensor_op_name: "TypeCast",
    tensor_op_params: `{"data_type": "${type}"}`,
  });
  const first = stage("Map", [source], { operations: [cast("float32"), { tensor_op_name: "HWC2CHW" }] });
  const second = stage("Map", [first], {
    operations: [cast("int32")],
    sampler: { sampler_name: "RandomSampler", n: 3 },
  });
  assert.deepEqual(flatPipeline(stage("Batch", [second], { parameters: { batch_size: 64 } })), {
    pipeline: "Mnist › Map › Map › Batch",
    "Mnist.columns": "image, label",
    "Map.operations": "TypeCast(data_type=float32), HWC2CHW",
    "Map 2.operations": "TypeCast(data_type=int32)",
    "Map 2.sampler": "RandomSampler(n=3)",
    "Batch.batch_size": 64,
  });
});

test("a pipeline may be very deep, and operations may have invalid JSON", () => {
  let last = stage("Source", []);
  for (let depth = 0; depth < 20_000; depth++) last = stage("", [last]);
  const flat = flatPipeline({ ...last, operations: [{ tensor_op_name: "Odd", tensor_op_params: "{" }] });
  assert.equal(flat["? 20000.operations"], "Odd(params={)");
});

test("CSV fields are quoted where necessary, and numbers are exact", () => {
  const lines = [
    ["run", "a,b", 'say "hi"', "two\nlines"],
    [0.1 + 0.2, null, NaN, 1e21],
  ];
  assert.equal(csvOf(lines), 'run,"a,b","say ""hi""","two\nlines"\r\n0.30000000000000004,,NaN,1e+21\r\n');
});
