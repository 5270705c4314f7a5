// The scene: every box and line of the graph in one coordinate system, with indexes of their connections.

import { portsOf } from "./scope_layout.js";

/** @typedef {import("./boxes.js").Box} Box */
/** @typedef {import("./scope_layout.js").ScopeLayout} ScopeLayout */
/** @typedef {import("./scope_layout.js").Line} Line */
/** @typedef {import("./scope_layout.js").NodeLabel} NodeLabel */
/** @typedef {import("./scope_layout.js").Point} Point */

/** @typedef {object} PlacedBox
 * @property {string} id
 * @property {Box} box
 * @property {NodeLabel} label
 * @property {boolean} isOpen
 * @property {number} depth the number of expanded scopes around it
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 */
/**
 * @typedef {Line & {points: Point[], left: number, top: number, right: number, bottom: number, depth: number}}
 *   PlacedLine
 */
/** @typedef {object} Scene
 * @property {number} width
 * @property {number} height
 * @property {number} leftOut edges that are not drawn
 * @property {PlacedBox[]} boxes scopes before their content
 * @property {PlacedLine[]} lines
 * @property {ReadonlyMap<string, PlacedBox>} byId
 * @property {ReadonlyMap<string, PlacedLine[]>} outgoing lines by the box or port they start at
 * @property {ReadonlyMap<string, PlacedLine[]>} incoming
 */

/** @param {ScopeLayout} root @returns {Scene} */
export function sceneOf(root) {
  /** @type {PlacedBox[]} */
  const boxes = [];
  /** @type {PlacedLine[]} */
  const lines = [];
  addScope(root, 0, 0, 0, boxes, lines);
  return {
    width: root.width,
    height: root.height,
    leftOut: root.omittedEdges,
    boxes,
    lines,
    byId: new Map(boxes.map((box) => [box.id, box])),
    outgoing: Map.groupBy(lines, ({ from }) => from),
    incoming: Map.groupBy(lines, ({ to }) => to),
  };
}

/**
 * @param {ScopeLayout} layout @param {number} left @param {number} top @param {number} depth @param {PlacedBox[]} boxes
 * @param {PlacedLine[]} lines
 */
function addScope(layout, left, top, depth, boxes, lines) {
  for (const { box, label, x, y, width, height, inner } of layout.boxes) {
    boxes.push({ id: box.id, box, label, isOpen: inner !== null, depth, x: left + x, y: top + y, width, height });
    if (inner) addScope(inner, left + x, top + y, depth + 1, boxes, lines);
  }
  for (const { points, ...line } of layout.lines) {
    if (!points.length) continue;
    const absolute = points.map(({ x, y }) => ({ x: left + x, y: top + y }));
    const [xs, ys] = [absolute.map(({ x }) => x), absolute.map(({ y }) => y)];
    lines.push({
      ...line,
      points: absolute,
      left: Math.min(...xs),
      right: Math.max(...xs),
      top: Math.min(...ys),
      bottom: Math.max(...ys),
      depth,
    });
  }
}

/** The innermost box at a point.
 * @param {Scene} scene @param {Point} at */
export function boxAt({ boxes }, { x, y }) {
  for (let place = boxes.length - 1; place >= 0; place--) {
    const box = boxes[place];
    if (x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height) return box;
  }
  return null;
}

/** The boxes and lines that a box depends on ("in") or that depend on it ("out"), as far as they are drawn.
 * @param {Scene} scene @param {string} id @param {"in" | "out"} side
 * @param {boolean} isDirectOnly stop at the adjacent boxes
 * @returns {{boxes: Set<string>, lines: Set<PlacedLine>}} */
export function traceFrom(scene, id, side, isDirectOnly = false) {
  const [next, end] =
    side === "in" ? [scene.incoming, /** @type {const} */ ("from")] : [scene.outgoing, /** @type {const} */ ("to")];
  /** @type {Set<PlacedLine>} */
  const lines = new Set();
  /** @type {Set<string>} */
  const boxes = new Set();
  const isOpen = scene.byId.get(id)?.isOpen ?? false;
  const starts = isOpen ? [...next.keys()].filter((name) => name.startsWith(portsOf(id, side))) : [id];
  const seen = new Set(starts);
  const pending = [...seen];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    for (const line of next.get(name) ?? []) {
      lines.add(line);
      const reached = line[end];
      if (seen.has(reached)) continue;
      seen.add(reached);
      const isBox = scene.byId.has(reached);
      if (isBox) boxes.add(reached);
      if (!isBox || !isDirectOnly) pending.push(reached);
    }
  }
  boxes.delete(id);
  return { boxes, lines };
}

/** The box that an arrow key selects: along an edge, or a sibling on either side.
 * @param {Scene} scene @param {PlacedBox} from @param {"ahead" | "behind" | "before" | "after"} direction
 * @param {boolean} isDown whether the graph is drawn from top to bottom */
export function neighbourOf(scene, from, direction, isDown) {
  const middle = (/** @type {PlacedBox} */ { x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });
  const start = middle(from);
  const across = (/** @type {PlacedBox} */ box) => (isDown ? middle(box).x - start.x : middle(box).y - start.y);
  if (direction === "ahead" || direction === "behind") {
    const near = traceFrom(scene, from.id, direction === "ahead" ? "out" : "in", true).boxes;
    const boxes = [...near].flatMap((id) => scene.byId.get(id) ?? []);
    return closest(
      boxes,
      (box) => Math.abs(across(box)) + Math.hypot(middle(box).x - start.x, middle(box).y - start.y),
    );
  }
  const sign = direction === "after" ? 1 : -1;
  const siblings = scene.boxes.filter(
    (box) => box !== from && box.box.scope === from.box.scope && across(box) * sign > 1,
  );
  return closest(siblings, (box) => {
    const along = isDown ? middle(box).y - start.y : middle(box).x - start.x;
    return Math.abs(across(box)) + 3 * Math.abs(along);
  });
}

/** @template Item @param {Item[]} items @param {(item: Item) => number} distanceTo @returns {Item | null} */
function closest(items, distanceTo) {
  /** @type {Item | null} */
  let result = null;
  let smallest = Infinity;
  for (const item of items) {
    const distance = distanceTo(item);
    if (distance < smallest) [result, smallest] = [item, distance];
  }
  return result;
}
