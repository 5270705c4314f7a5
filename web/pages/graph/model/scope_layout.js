// The layout of one scope by ELK: boxes, expanded ones at the size of their content, and ports on the scope's border.
//
// Each scope is laid out separately, so that expanding one does not change the others. An edge from outside enters
// through
// a port named after its other end, to which the enclosing scope connects its own part of the edge.

import { thinLines } from "./thinning.js";

/** @typedef {import("./boxes.js").Box} Box */
/** @typedef {import("../../../data/kinds/graphs.js").Flow} Flow */
/** @typedef {import("../../../data/kinds/graphs.js").ScopeView} ScopeView */
/** @typedef {"down" | "right"} Direction */
/** @typedef {"in" | "out"} Side */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{id: string, x: number, y: number, side: Side}} Port */
/**
 * The text in a box, truncated to fit.
 * @typedef {{text: string, note: string, width: number, height: number}} NodeLabel
 */

/** @typedef {object} LayoutBox
 * @property {Box} box
 * @property {NodeLabel} label
 * @property {number} x relative to the scope's top left corner
 * @property {number} y
 * @property {number} width
 * @property {number} height
 * @property {ScopeLayout | null} inner the layout of its content if it is expanded
 */
/** @typedef {object} Line one or more edges that are drawn as one line
 * @property {string} from a box, or a port of a scope's border
 * @property {string} to
 * @property {boolean} control
 * @property {number} count
 * @property {Flow[]} flows
 */
/** @typedef {Line & {points: Point[]}} LayoutLine */
/** @typedef {object} ScopeLines the lines of a scope
 * @property {Line[]} lines
 * @property {Map<string, Side>} borderPorts ports on the scope's border
 * @property {number} omittedEdges edges omitted because there are too many lines
 */
/** @typedef {object} ScopeLayout
 * @property {string} scope
 * @property {number} width
 * @property {number} height
 * @property {LayoutBox[]} boxes
 * @property {LayoutLine[]} lines
 * @property {Port[]} ports
 * @property {number} omittedEdges edges that are not drawn: beyond the limit of the server or of the layout
 */

/** A scope with more outside ends than this on a side has one port for all of them. */
const MAX_PORTS = 16;
/** The height of an expanded scope's title, in pixels. */
export const HEAD = 26;
const MARGIN = 14;

/** @param {string} scope @param {Side} side @param {string} end the name of the other end; "*" for all */
const portId = (scope, side, end) => portsOf(scope, side) + end;

/** The prefix of the ids of all ports on one side of a scope. @param {string} scope @param {Side} side */
export const portsOf = (scope, side) => `${scope}\0${side}\0`;

/** @param {ScopeView} view @param {Box[]} boxes @param {ReadonlyMap<string, ScopeLayout>} inner expanded scopes by name
 * @returns {ScopeLines} */
export function linesOf(view, boxes, inner) {
  /** @type {Map<string, string>} */
  const boxOf = new Map();
  for (const { id, members } of boxes) for (const { name } of members) boxOf.set(name, id);
  const rest = boxes.find(({ kind }) => kind === "rest")?.id;
  const ends = { in: new Set(), out: new Set() };
  for (const { source, target, outside } of view.edges) {
    if (outside === "source") ends.in.add(source);
    else if (outside === "target") ends.out.add(target);
  }
  /** @type {Map<string, Side>} */
  const borderPorts = new Map();
  const borderPort = (/** @type {Side} */ side, /** @type {string} */ end) => {
    const id = portId(view.name, side, ends[side].size > MAX_PORTS ? "*" : end);
    borderPorts.set(id, side);
    return id;
  };
  const endOf = (/** @type {string} */ name, /** @type {Side} */ side, /** @type {string} */ other) => {
    const layout = inner.get(name);
    return layout ? portOf(layout, side, other) : (boxOf.get(name) ?? rest);
  };
  /** @type {Map<string, Line>} */
  const lines = new Map();
  for (const flow of view.edges) {
    const from = flow.outside === "source" ? borderPort("in", flow.source) : endOf(flow.source, "out", flow.target);
    const to = flow.outside === "target" ? borderPort("out", flow.target) : endOf(flow.target, "in", flow.source);
    if (from === undefined || to === undefined || from === to) continue;
    const key = `${from}\n${to}\n${flow.control}`;
    const existing = lines.get(key);
    if (existing) {
      existing.count += flow.count;
      existing.flows.push(flow);
    } else lines.set(key, { from, to, control: flow.control, count: flow.count, flows: [flow] });
  }
  const kept = thinLines(
    [...lines.values()],
    boxes.map(({ id }) => id),
  );
  return { lines: kept, borderPorts, omittedEdges: edgesOf(lines.values()) - edgesOf(kept) };
}

/** The number of edges in some lines. @param {Iterable<Line>} lines */
const edgesOf = (lines) => [...lines].reduce((sum, { flows }) => sum + flows.length, 0);

/**
 * The port of an expanded scope for an end outside of it.
 * @param {ScopeLayout} layout @param {Side} side @param {string} end
 */
function portOf(layout, side, end) {
  const id = portId(layout.scope, side, end);
  return layout.ports.some((port) => port.id === id) ? id : portId(layout.scope, side, "*");
}

/**
 * @param {string} scope @param {Array<{box: Box, label: NodeLabel}>} sizedBoxes
 * @param {ReadonlyMap<string, ScopeLayout>} inner
 * @param {Pick<ScopeLines, "lines" | "borderPorts">} drawn @param {Direction} direction */
export function elkGraph(scope, sizedBoxes, inner, { lines, borderPorts }, direction) {
  const sides = direction === "down" ? { in: "NORTH", out: "SOUTH" } : { in: "WEST", out: "EAST" };
  const children = sizedBoxes.map(({ box, label }) => {
    const layout = inner.get(box.id);
    if (!layout) return { id: box.id, width: label.width, height: label.height };
    const ports = [...layout.ports, ...missingPorts(layout, lines, direction)].map(({ id, x, y, side }) => ({
      id,
      x,
      y,
      width: 0,
      height: 0,
      layoutOptions: { "elk.port.side": sides[side] },
    }));
    return {
      id: box.id,
      width: layout.width,
      height: layout.height,
      ports,
      layoutOptions: { "elk.portConstraints": "FIXED_POS" },
    };
  });
  const graph = {
    id: "\0scope",
    children,
    ports: [...borderPorts].map(([id, side]) => ({
      id,
      width: 0,
      height: 0,
      layoutOptions: { "elk.port.side": sides[side] },
    })),
    edges: lines.map(({ from, to }, place) => ({ id: String(place), sources: [from], targets: [to] })),
    layoutOptions: optionsOf(scope, children.length, lines.length, borderPorts.size > 0, direction),
  };
  // ELK lays out the ports of a graph only if the graph is nested in another one.
  return { id: "\0around", layoutOptions: { "elk.algorithm": "layered" }, children: [graph] };
}

/** Ports in the middle of a side for edges that the expanded scope has no port for.
 * @param {ScopeLayout} layout @param {Line[]} lines @param {Direction} direction @returns {Port[]} */
function missingPorts({ scope, width, height, ports }, lines, direction) {
  return /** @type {Side[]} */ (["in", "out"]).flatMap((side) => {
    const id = portId(scope, side, "*");
    const isUsed = lines.some(({ from, to }) => (side === "in" ? to : from) === id);
    if (!isUsed || ports.some((port) => port.id === id)) return [];
    const far = side === "in" ? 0 : 1;
    return [
      direction === "down" ? { id, side, x: width / 2, y: far * height } : { id, side, x: far * width, y: height / 2 },
    ];
  });
}

/**
 * @param {string} scope @param {number} boxes @param {number} lines @param {boolean} hasPorts
 * @param {Direction} direction
 */
function optionsOf(scope, boxes, lines, hasPorts, direction) {
  const size = boxes + lines;
  return {
    "elk.algorithm": "layered",
    "elk.direction": direction === "down" ? "DOWN" : "RIGHT",
    "elk.edgeRouting": "ORTHOGONAL",
    "elk.layered.mergeEdges": "true",
    "elk.padding": `[top=${scope ? HEAD + MARGIN : MARGIN},left=${MARGIN},bottom=${MARGIN},right=${MARGIN}]`,
    "elk.spacing.nodeNode": "14",
    "elk.spacing.edgeNode": "10",
    "elk.spacing.edgeEdge": "7",
    "elk.spacing.componentComponent": "16",
    "elk.layered.spacing.nodeNodeBetweenLayers": direction === "down" ? "30" : "44",
    "elk.layered.spacing.edgeNodeBetweenLayers": "12",
    "elk.layered.spacing.edgeEdgeBetweenLayers": "7",
    "elk.layered.cycleBreaking.strategy": "GREEDY_MODEL_ORDER",
    // Crossing minimization takes most of the time, so larger scopes get fewer iterations.
    "elk.layered.thoroughness": size <= 60 ? "7" : size <= 400 ? "2" : "1",
    "elk.layered.crossingMinimization.greedySwitch.type": size <= 60 ? "TWO_SIDED" : "OFF",
    // Straight edges in small scopes only: they would make large ones several times as wide.
    "elk.layered.nodePlacement.strategy": size <= 100 ? "BRANDES_KOEPF" : "LINEAR_SEGMENTS",
    "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
    "elk.aspectRatio": "1.6",
    "elk.portConstraints": "FIXED_SIDE",
    "elk.separateConnectedComponents": String(!hasPorts),
  };
}

/**
 * @param {ScopeView} view @param {Array<{box: Box, label: NodeLabel}>} sizedBoxes
 * @param {ReadonlyMap<string, ScopeLayout>} inner @param {ScopeLines} scopeLines @param {any} around ELK's reply
 * @param {Direction} direction @returns {ScopeLayout} */
export function layoutOf({ name: scope, edges, edges_total: total }, sizedBoxes, inner, scopeLines, around, direction) {
  const [reply] = around.children;
  const boxes = sizedBoxes.map(({ box, label }, place) => {
    const { x, y, width, height } = reply.children[place];
    return { box, label, x, y, width, height, inner: inner.get(box.id) ?? null };
  });
  const layoutLines = scopeLines.lines.map((line, place) => ({ ...line, points: pointsOf(reply.edges[place]) }));
  const start = direction === "down" ? "NORTH" : "WEST";
  const ports = (reply.ports ?? []).map((/** @type {any} */ { id, x, y, layoutOptions }) => ({
    id,
    x,
    y,
    side: layoutOptions["elk.port.side"] === start ? "in" : "out",
  }));
  const omittedEdges =
    Math.max(0, total - edges.length) +
    scopeLines.omittedEdges +
    [...inner.values()].reduce((sum, layout) => sum + layout.omittedEdges, 0);
  return { scope, width: reply.width, height: reply.height, boxes, lines: layoutLines, ports, omittedEdges };
}

/** @param {any} edge @returns {Point[]} */
const pointsOf = ({ sections }) =>
  (sections ?? [])
    .slice(0, 1)
    .flatMap((/** @type {any} */ { startPoint, bendPoints, endPoint }) => [
      startPoint,
      ...(bendPoints ?? []),
      endPoint,
    ]);

/**
 * A cache key of the sizes of the boxes.
 * @param {Array<{box: Box, label: NodeLabel}>} sizedBoxes @param {ReadonlyMap<string, ScopeLayout>} inner
 */
export const sizesKey = (sizedBoxes, inner) =>
  sizedBoxes.map(({ box, label }) => `${box.id}|${inner.get(box.id) ? "open" : label.width}`).join("\n");
