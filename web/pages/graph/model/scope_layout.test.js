import assert from "node:assert/strict";
import { test } from "node:test";
import { boxesOf } from "./boxes.js";
import { elkGraph, layoutOf, linesOf, portsOf } from "./scope_layout.js";

/** @typedef {import("../../../data/kinds/graphs.js").Flow} Flow */

const NONE = {
  types: [],
  inputs: [],
  inputs_total: 0,
  outputs: [],
  outputs_total: 0,
  attributes: [],
  attributes_total: 0,
};

/** @param {string} scope @param {string[]} names
 * @param {Array<Partial<Flow> & {source: string, target: string}>} edges */
const view = (scope, names, edges) => ({
  name: scope,
  total: names.length,
  children: names.map((name) => ({
    ...NONE,
    name,
    label: name,
    kind: /** @type {const} */ ("operator"),
    op: name,
    nodes: 1,
    repeats: null,
    is_result: false,
  })),
  edges: edges.map((edge) => ({ control: false, outside: null, count: 1, types: [], ...edge })),
  edges_total: edges.length,
  outside: [],
});

/** @param {ReturnType<typeof view>} scopeView @param {Map<string, import("./scope_layout.js").ScopeLayout>} [inner] */
const lines = (scopeView, inner = new Map()) => linesOf(scopeView, boxesOf(scopeView, new Set(), false), inner);

test("edges between the same boxes are one line, apart from control edges", () => {
  const { lines: drawn, omittedEdges } = lines(
    view(
      "",
      ["a", "b"],
      [
        { source: "a", target: "b", count: 2 },
        { source: "a", target: "b" },
        { source: "a", target: "b", control: true },
        { source: "a", target: "a" },
      ],
    ),
  );
  assert.deepEqual(
    drawn.map(({ from, to, control, count }) => [from, to, control, count]),
    [
      ["a", "b", false, 3],
      ["a", "b", true, 1],
    ],
  );
  assert.equal(omittedEdges, 0);
});

test("an edge from outside starts at a border port of its own, or at a common one if there are many", () => {
  const sources = (/** @type {number} */ count) =>
    Array.from({ length: count }, (_, i) => ({
      source: `x${i}`,
      target: "s/a",
      outside: /** @type {const} */ ("source"),
    }));
  const few = lines(view("s", ["s/a"], sources(3)));
  assert.deepEqual(
    [...few.borderPorts.keys()],
    ["x0", "x1", "x2"].map((name) => portsOf("s", "in") + name),
  );
  const many = lines(view("s", ["s/a"], sources(40)));
  assert.deepEqual([...many.borderPorts], [[`${portsOf("s", "in")}*`, "in"]]);
  assert.deepEqual([many.lines.length, many.lines[0].count], [1, 40]);
});

test("an edge to an expanded scope ends at its port for the source", () => {
  const inner = { scope: "s", width: 90, height: 60, boxes: [], lines: [], omittedEdges: 2 };
  const port = { id: `${portsOf("s", "in")}a`, x: 45, y: 0, side: /** @type {const} */ ("in") };
  const scopeView = view(
    "",
    ["a", "b", "s"],
    [
      { source: "a", target: "s" },
      { source: "b", target: "s" },
    ],
  );
  const layouts = new Map([["s", { ...inner, ports: [port] }]]);
  const drawn = lines(scopeView, layouts);
  assert.deepEqual(
    drawn.lines.map(({ to }) => to),
    [port.id, `${portsOf("s", "in")}*`],
  );
  const sizedBoxes = boxesOf(scopeView, new Set(), false).map((box) => ({
    box,
    label: { text: box.id, note: "", width: 40, height: 20 },
  }));
  const graph = elkGraph("", sizedBoxes, layouts, drawn, "down");
  const ports = graph.children[0].children[2].ports ?? [];
  assert.deepEqual(
    ports.map(({ id }) => id),
    drawn.lines.map(({ to }) => to),
  );
  assert.equal(ports[1].x, 45);

  const reply = {
    children: [
      {
        width: 300,
        height: 200,
        children: sizedBoxes.map((_, i) => ({ x: i, y: 2 * i, width: 40, height: 20 })),
        edges: [{ sections: [{ startPoint: { x: 0, y: 0 }, endPoint: { x: 1, y: 1 } }] }, {}],
      },
    ],
  };
  const layout = layoutOf(scopeView, sizedBoxes, layouts, drawn, reply, "down");
  assert.deepEqual([layout.boxes[2].inner, layout.omittedEdges], [layouts.get("s"), 2]);
  assert.deepEqual(
    layout.lines.map(({ points }) => points.length),
    [2, 0],
  );
});

test("of too many edges the shortest are drawn, each node keeps one, and the omitted ones are counted", () => {
  const names = Array.from({ length: 130 }, (_, i) => `n${String(i).padStart(3, "0")}`);
  const edges = names.flatMap((target, i) => names.slice(Math.max(0, i - 8), i).map((source) => ({ source, target })));
  const { lines: drawn, omittedEdges } = lines(view("", names, edges));
  assert.deepEqual([drawn.length, omittedEdges, edges.length], [1000, 4, 1004]);
  assert.deepEqual(new Set(drawn.flatMap(({ from, to }) => [from, to])), new Set(names));
});
