import assert from "node:assert/strict";
import { test } from "node:test";
import { titlesOf } from "./graph_titles.js";

/** @param {Partial<import("../../../data/kinds/graphs.js").GraphRow>} [facts]
 * @returns {import("../../../data/kinds/graphs.js").GraphRow} */
const graph = (facts) => ({
  id: "a",
  name: "net",
  tag: "net",
  file: "events",
  rank: 0,
  step: 0,
  wall_time: 1_700_000_000,
  problem: null,
  source: "mindspore",
  nodes: 10,
  edges: 9,
  missing_inputs: 0,
  depth: 1,
  is_module_tree: false,
  left_out: [],
  ...facts,
});

test("graphs that differ in name, rank or step are distinguished by these", () => {
  assert.deepEqual(titlesOf([graph(), graph({ name: "eval" })]), ["net · mindspore", "eval · mindspore"]);
  const [first, second] = titlesOf([graph(), graph({ step: 1000 })]);
  assert.match(first, /^net · mindspore · .*0$/);
  assert.match(second, /1,000$/);
});

test("graphs of one name and step have their sizes, their times or at last numbers", () => {
  assert.deepEqual(titlesOf([graph(), graph({ nodes: 20 })]), [
    "net · mindspore · 10 nodes",
    "net · mindspore · 20 nodes",
  ]);
  assert.equal(new Set(titlesOf([graph(), graph({ wall_time: 1_700_000_060 }), graph({ nodes: 3 })])).size, 3);
  assert.deepEqual(titlesOf([graph(), graph()]), ["net · mindspore · #1", "net · mindspore · #2"]);
});
