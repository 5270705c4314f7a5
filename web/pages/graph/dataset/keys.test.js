import assert from "node:assert/strict";
import { test } from "node:test";
import { stagesOf } from "../../../data/kinds/dataset_stages.js";
import { neighbourOf } from "./keys.js";
import { layOut } from "./layout.js";

/** @param {string} name @param {any[]} children @param {Record<string, number>} [parameters] @returns {any} */
const stage = (name, children, parameters = {}) => ({
  op_type: name,
  parameters,
  operations: [],
  sampler: null,
  children,
});

const PIPELINE = stage("Repeat", [
  stage("Batch", [stage("Zip", [stage("Shuffle", [stage("Images", [])]), stage("Labels", [])])], { batch_size: 32 }),
]);

const boxes = () => layOut(stagesOf(PIPELINE, 100).placed).boxes;

/** @param {string} id */
const box = (id) => /** @type {import("./layout.js").Box} */ (boxes().find((each) => each.id === id));

test("arrow keys follow the pipeline up and down, and move within a row", () => {
  const go = (/** @type {string} */ id, /** @type {string} */ key) => {
    const all = boxes();
    const from = /** @type {import("./layout.js").Box} */ (all.find((each) => each.id === id));
    const next = neighbourOf(all, from, key);
    return next?.id ?? next;
  };
  assert.equal(go("0", "ArrowUp"), "0.0");
  assert.equal(go("0.0.0", "ArrowUp"), "0.0.0.0");
  assert.equal(go("0.0.0.0", "ArrowRight"), "0.0.0.1");
  assert.equal(go("0.0.0.1", "ArrowRight"), null);
  assert.equal(go("0.0.0.1", "ArrowDown"), "0.0.0");
  assert.equal(go("0", "Home"), "0.0.0.0.0");
  assert.equal(go("0.0.0.1", "End"), "0");
  assert.equal(go("0", "x"), undefined);
});

test("stages are above their consumer, and a join is centred below its inputs", () => {
  const [joined, left, right] = [box("0.0.0"), box("0.0.0.0"), box("0.0.0.1")];
  assert.ok(left.x < joined.x && joined.x < right.x);
  assert.equal(joined.x, (left.x + right.x) / 2);
  for (const each of boxes()) if (each.feeds) assert.ok(each.y + each.height < box(each.feeds.id).y);
});

test("a box lists the main parameters, and counts those that do not fit", () => {
  assert.deepEqual(box("0.0").lines, [{ name: "batch_size", text: "32" }]);
  const many = stage(
    "Map",
    [stage("Source", [])],
    Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`p${i}`, i])),
  );
  const [map] = layOut(stagesOf(many, 100).placed).boxes;
  assert.deepEqual([map.lines.length, map.more], [5, 4]);
});
