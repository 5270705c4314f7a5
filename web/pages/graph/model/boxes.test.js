import assert from "node:assert/strict";
import { test } from "node:test";
import { boxesOf, forwardOnly, groupLabel, isAggregateId, pinnedId } from "./boxes.js";

/** @typedef {import("./boxes.js").Child} Child */
/** @typedef {import("./boxes.js").Flow} Flow */

const NONE = {
  types: [],
  inputs: [],
  inputs_total: 0,
  outputs: [],
  outputs_total: 0,
  attributes: [],
  attributes_total: 0,
};

/** @param {string} name @param {string | null} repeats @returns {Child} */
const scope = (name, repeats) => ({
  ...NONE,
  name,
  label: name.slice(name.lastIndexOf("/") + 1),
  kind: "scope",
  op: null,
  nodes: 2,
  repeats,
  is_result: false,
});

/** @param {string} name @param {string} op @returns {Child} */
const node = (name, op) => ({ ...scope(name, null), kind: "operator", op, nodes: 1 });

/** @param {string} source @param {string} target @returns {Flow} */
const flow = (source, target) => ({ source, target, control: false, outside: null, count: 1, types: [] });

/** @param {Child[]} children @param {Flow[]} [edges] @param {number} [total] */
const view = (children, edges = [], total = children.length) => ({
  name: "",
  total,
  children,
  edges,
  edges_total: edges.length,
  outside: [],
});

/** @param {number} count */
function chain(count) {
  const names = Array.from({ length: count }, (_, i) => `block${i}`);
  return view(
    names.map((name) => scope(name, "same")),
    names.slice(1).map((name, i) => flow(names[i], name)),
  );
}

/** @param {import("./boxes.js").Box[]} boxes */
const summary = (boxes) => boxes.map(({ id, count }) => [id, count]);

test("repeated scopes are one box, unless folding is off or the group is expanded", () => {
  const blocks = chain(5);
  assert.deepEqual(summary(boxesOf(blocks, new Set(), true)), [["*block0", 5]]);
  assert.equal(boxesOf(blocks, new Set(), false).length, 5);
  assert.equal(boxesOf(blocks, new Set(["*block0"]), true).length, 5);
});

test("a scope that is expanded inside a chain splits its group, and short parts are not grouped", () => {
  const blocks = chain(8);
  assert.deepEqual(summary(boxesOf(blocks, new Set(["block4"]), true)), [
    ["*block0", 4],
    ["block4", 1],
    ["*block5", 3],
  ]);
  assert.deepEqual(summary(boxesOf(blocks, new Set([pinnedId("block6")]), true)).at(0), ["*block0", 6]);
  assert.equal(boxesOf(blocks, new Set([pinnedId("block6")]), true).length, 3);
});

test("a scope is separate from its group when something inside it is expanded", () => {
  const boxes = boxesOf(chain(4), new Set(["block0/dense"]), true);
  assert.deepEqual(summary(boxes), [
    ["block0", 1],
    ["*block1", 3],
  ]);
});

test("nodes are grouped by operator, inputs and consumers", () => {
  const names = ["a", "b", "c", "d"];
  const same = view(
    [node("x", "Parameter"), ...names.map((name) => node(name, "Relu"))],
    names.map((name) => flow("x", name)),
  );
  assert.deepEqual(summary(boxesOf(same, new Set(), true)), [
    ["x", 1],
    ["*a", 4],
  ]);
  const different = { ...same, edges: [...same.edges, flow("d", "x")] };
  assert.deepEqual(summary(boxesOf(different, new Set(), true)).at(-1), ["d", 1]);
});

test("no group of scopes is part of a cycle between boxes, for random graphs", () => {
  let seed = 5;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let round = 0; round < 200; round++) {
    const names = Array.from({ length: 9 }, (_, i) => `s${i}`);
    const children = names.map((name) => (random() < 0.6 ? scope(name, "same") : node(name, name)));
    const edges = names.flatMap((source, i) =>
      names.slice(i + 1).flatMap((target) => (random() < 0.25 ? [flow(source, target)] : [])),
    );
    const open = new Set(names.filter(() => random() < 0.2));
    const boxes = boxesOf(view(children, edges), open, true);
    const boxOf = new Map(boxes.flatMap(({ id, members }) => members.map(({ name }) => [name, id])));
    /** Reachability between boxes by repeated relaxation. @type {Set<string>} */
    const reaches = new Set();
    const between = edges.map(({ source, target }) => [boxOf.get(source), boxOf.get(target)]);
    const direct = between.filter(([from, to]) => from !== to);
    for (const [from, to] of direct) reaches.add(`${from} ${to}`);
    for (let size = -1; size !== reaches.size; ) {
      size = reaches.size;
      for (const [from, to] of direct)
        for (const { id } of boxes) if (reaches.has(`${id} ${from}`)) reaches.add(`${id} ${to}`);
    }
    for (const { id, count } of boxes) if (count > 1) assert.ok(!reaches.has(`${id} ${id}`), `${round}: ${id}`);
    assert.equal(
      boxes.reduce((sum, { count }) => sum + count, 0),
      children.length,
    );
  }
});

test("children beyond the limit are one rest box, which also counts the unlisted ones", () => {
  const children = Array.from({ length: 300 }, (_, i) => node(`op${i}`, `Op${i}`));
  const boxes = boxesOf(view(children, [], 1500), new Set(), true);
  assert.equal(boxes.length, 201);
  assert.deepEqual([boxes[200].id, boxes[200].count, boxes[200].members.length], ["+", 1300, 100]);
  const pinned = boxesOf(view(children, [], 1500), new Set([pinnedId("op250")]), true);
  assert.deepEqual(
    pinned.slice(-2).map(({ id, count }) => [id, count]),
    [
      ["op250", 1],
      ["+", 1299],
    ],
  );
});

test("the forward graph has no scopes of gradients and optimizers, and none of their edges", () => {
  const whole = view(
    [scope("Default", null), scope("Gradients", null), scope("optimizer-Adam", null), scope("gradient_clip", null)],
    [flow("Default", "Gradients"), flow("Default", "gradient_clip")],
  );
  const forward = forwardOnly(whole);
  assert.deepEqual(
    forward.children.map(({ name }) => name),
    ["Default"],
  );
  assert.deepEqual([forward.total, forward.edges, forward.edges_total], [1, [], 0]);
  const same = chain(2);
  assert.equal(forwardOnly(same), same);
});

test("ids of groups and rests are recognised, and a group is labelled by its first and last members", () => {
  assert.deepEqual(["*a", "+a", "a", "!a"].map(isAggregateId), [true, true, false, false]);
  assert.equal(groupLabel(chain(4).children), "block0 … block3");
  assert.equal(groupLabel([node("a/relu", "Relu"), node("b/relu", "Relu")]), "relu");
});
