// One scope as ELK lays it out: its boxes, opened ones as large as what they hold, and ports where edges cross its border.
//
// A scope is laid out alone, so that opening another one does not touch it. What it reads from outside comes in at a port
// that is called after the other end; the scope around it leads its own edge from there to the same port.

import { thinned } from "./thinning.js";

/** @typedef {import("./boxes.js").Box} Box */
/** @typedef {import("../../../data/graphs.js").Flow} Flow */
/** @typedef {import("../../../data/graphs.js").ScopeView} ScopeView */
/** @typedef {"down" | "right"} Direction */
/** @typedef {"in" | "out"} Side */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{id: string, x: number, y: number, side: Side}} Port */
/** What is written in a box, cut to its room. @typedef {{label: string, note: string, width: number, height: number}} Face */

/** @typedef {object} LaidBox
 * @property {Box} box
 * @property {Face} face
 * @property {number} x from the scope's corner
 * @property {number} y
 * @property {number} width
 * @property {number} height
 * @property {Laid | null} inner what it holds, when it is opened
 */
/** @typedef {object} Line several edges that are drawn as one
 * @property {string} from a box, or a port of a scope's border
 * @property {string} to
 * @property {boolean} control
 * @property {number} count
 * @property {Flow[]} flows
 */
/** @typedef {Line & {points: Point[]}} LaidLine */
/** @typedef {object} Drawn what is drawn of a scope's edges
 * @property {Line[]} lines
 * @property {Map<string, Side>} own ports of the scope's border
 * @property {number} leftOut edges for which there are too many lines
 */
/** @typedef {object} Laid a scope, laid out
 * @property {string} scope
 * @property {number} width
 * @property {number} height
 * @property {LaidBox[]} boxes
 * @property {LaidLine[]} lines
 * @property {Port[]} ports
 * @property {number} leftOut edges that are not drawn: there are too many to be told of by the server, or to be laid out
 */

/** A scope with more ends outside on one side has one port for all of them. */
const MOST_PORTS = 16;
/** Above an opened scope's content: its name. */
export const HEAD = 26;
const MARGIN = 14;

/** @param {string} scope @param {Side} side @param {string} end the other end; "*" for all of them */
const portId = (scope, side, end) => portsOf(scope, side) + end;

/** What the names of all ports on one side of a scope begin with. @param {string} scope @param {Side} side */
export const portsOf = (scope, side) => `${scope}\0${side}\0`;

/** @param {ScopeView} view @param {Box[]} boxes @param {ReadonlyMap<string, Laid>} inner opened scopes, by name
 * @returns {Drawn} */
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
  const own = new Map();
  const border = (/** @type {Side} */ side, /** @type {string} */ end) => {
    const id = portId(view.name, side, ends[side].size > MOST_PORTS ? "*" : end);
    own.set(id, side);
    return id;
  };
  const place = (/** @type {string} */ name, /** @type {Side} */ side, /** @type {string} */ other) => {
    const laid = inner.get(name);
    return laid ? portOf(laid, side, other) : (boxOf.get(name) ?? rest);
  };
  /** @type {Map<string, Line>} */
  const lines = new Map();
  for (const flow of view.edges) {
    const from = flow.outside === "source" ? border("in", flow.source) : place(flow.source, "out", flow.target);
    const to = flow.outside === "target" ? border("out", flow.target) : place(flow.target, "in", flow.source);
    if (from === undefined || to === undefined || from === to) continue;
    const key = `${from}\n${to}\n${flow.control}`;
    const known = lines.get(key);
    if (known) {
      known.count += flow.count;
      known.flows.push(flow);
    } else lines.set(key, { from, to, control: flow.control, count: flow.count, flows: [flow] });
  }
  const kept = thinned(
    [...lines.values()],
    boxes.map(({ id }) => id),
  );
  return { lines: kept, own, leftOut: edgesOf(lines.values()) - edgesOf(kept) };
}

/** How many edges some lines are. @param {Iterable<Line>} lines */
const edgesOf = (lines) => [...lines].reduce((sum, { flows }) => sum + flows.length, 0);

/** The port of an opened scope that leads to an end outside of it. @param {Laid} laid @param {Side} side @param {string} end */
function portOf(laid, side, end) {
  const id = portId(laid.scope, side, end);
  return laid.ports.some((port) => port.id === id) ? id : portId(laid.scope, side, "*");
}

/** @param {string} scope @param {Array<{box: Box, face: Face}>} faces @param {ReadonlyMap<string, Laid>} inner
 * @param {Pick<Drawn, "lines" | "own">} drawn @param {Direction} direction */
export function elkGraph(scope, faces, inner, { lines, own }, direction) {
  const sides = direction === "down" ? { in: "NORTH", out: "SOUTH" } : { in: "WEST", out: "EAST" };
  const children = faces.map(({ box, face }) => {
    const laid = inner.get(box.id);
    if (!laid) return { id: box.id, width: face.width, height: face.height };
    const ports = [...laid.ports, ...missingPorts(laid, lines, direction)].map(({ id, x, y, side }) => ({
      id,
      x,
      y,
      width: 0,
      height: 0,
      layoutOptions: { "elk.port.side": sides[side] },
    }));
    return {
      id: box.id,
      width: laid.width,
      height: laid.height,
      ports,
      layoutOptions: { "elk.portConstraints": "FIXED_POS" },
    };
  });
  const graph = {
    id: "\0scope",
    children,
    ports: [...own].map(([id, side]) => ({ id, width: 0, height: 0, layoutOptions: { "elk.port.side": sides[side] } })),
    edges: lines.map(({ from, to }, place) => ({ id: String(place), sources: [from], targets: [to] })),
    layoutOptions: optionsOf(scope, children.length, lines.length, own.size > 0, direction),
  };
  // ELK lays out ports of a graph only when it lies in another one.
  return { id: "\0around", layoutOptions: { "elk.algorithm": "layered" }, children: [graph] };
}

/** Edges to an opened scope that it has no port for meet its side in the middle.
 * @param {Laid} laid @param {Line[]} lines @param {Direction} direction @returns {Port[]} */
function missingPorts({ scope, width, height, ports }, lines, direction) {
  return /** @type {Side[]} */ (["in", "out"]).flatMap((side) => {
    const id = portId(scope, side, "*");
    const isAsked = lines.some(({ from, to }) => (side === "in" ? to : from) === id);
    if (!isAsked || ports.some((port) => port.id === id)) return [];
    const far = side === "in" ? 0 : 1;
    return [
      direction === "down" ? { id, side, x: width / 2, y: far * height } : { id, side, x: far * width, y: height / 2 },
    ];
  });
}

/** @param {string} scope @param {number} boxes @param {number} lines @param {boolean} hasPorts @param {Direction} direction */
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
    // Most of the time goes into crossings: the more there are, the fewer of them are tried to be undone.
    "elk.layered.thoroughness": size <= 60 ? "7" : size <= 400 ? "2" : "1",
    "elk.layered.crossingMinimization.greedySwitch.type": size <= 60 ? "TWO_SIDED" : "OFF",
    // Straight edges in small scopes; large ones would become several times as wide by them.
    "elk.layered.nodePlacement.strategy": size <= 100 ? "BRANDES_KOEPF" : "LINEAR_SEGMENTS",
    "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
    "elk.aspectRatio": "1.6",
    "elk.portConstraints": "FIXED_SIDE",
    "elk.separateConnectedComponents": String(!hasPorts),
  };
}

/** @param {ScopeView} view @param {Array<{box: Box, face: Face}>} faces @param {ReadonlyMap<string, Laid>} inner @param {Drawn} drawn @param {any} around ELK's reply
 * @param {Direction} direction @returns {Laid} */
export function laidOf({ name: scope, edges, edges_total: total }, faces, inner, drawn, around, direction) {
  const [reply] = around.children;
  const boxes = faces.map(({ box, face }, place) => {
    const { x, y, width, height } = reply.children[place];
    return { box, face, x, y, width, height, inner: inner.get(box.id) ?? null };
  });
  const laidLines = drawn.lines.map((line, place) => ({ ...line, points: pointsOf(reply.edges[place]) }));
  const start = direction === "down" ? "NORTH" : "WEST";
  const ports = (reply.ports ?? []).map((/** @type {any} */ { id, x, y, layoutOptions }) => ({
    id,
    x,
    y,
    side: layoutOptions["elk.port.side"] === start ? "in" : "out",
  }));
  const leftOut =
    Math.max(0, total - edges.length) +
    drawn.leftOut +
    [...inner.values()].reduce((sum, laid) => sum + laid.leftOut, 0);
  return { scope, width: reply.width, height: reply.height, boxes, lines: laidLines, ports, leftOut };
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

/** What distinguishes one layout from another. @param {Array<{box: Box, face: Face}>} faces @param {ReadonlyMap<string, Laid>} inner */
export const sizesKey = (faces, inner) =>
  faces.map(({ box, face }) => `${box.id}|${inner.get(box.id) ? "open" : face.width}`).join("\n");
