// A graph as it is drawn: every box and line in one plane, and which leads where.

import { portsOf } from "./elk.js";

/** @typedef {import("./boxes.js").Box} Box */
/** @typedef {import("./elk.js").Laid} Laid */
/** @typedef {import("./elk.js").Line} Line */
/** @typedef {import("./elk.js").Face} Face */
/** @typedef {import("./elk.js").Point} Point */

/** @typedef {object} PlacedBox
 * @property {string} id
 * @property {Box} box
 * @property {Face} face
 * @property {boolean} isOpen
 * @property {number} depth scopes around it that are opened
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 */
/** @typedef {Line & {points: Point[], left: number, top: number, right: number, bottom: number, depth: number}} PlacedLine */
/** @typedef {object} Scene
 * @property {number} width
 * @property {number} height
 * @property {number} leftOut edges that are not drawn
 * @property {PlacedBox[]} boxes scopes before what they hold
 * @property {PlacedLine[]} lines
 * @property {ReadonlyMap<string, PlacedBox>} byId
 * @property {ReadonlyMap<string, PlacedLine[]>} forth lines by where they begin: a box or a port
 * @property {ReadonlyMap<string, PlacedLine[]>} back
 */

/** @param {Laid} root @returns {Scene} */
export function sceneOf(root) {
  /** @type {PlacedBox[]} */
  const boxes = [];
  /** @type {PlacedLine[]} */
  const lines = [];
  place(root, 0, 0, 0, boxes, lines);
  return {
    width: root.width,
    height: root.height,
    leftOut: root.leftOut,
    boxes,
    lines,
    byId: new Map(boxes.map((box) => [box.id, box])),
    forth: Map.groupBy(lines, ({ from }) => from),
    back: Map.groupBy(lines, ({ to }) => to),
  };
}

/** @param {Laid} laid @param {number} left @param {number} top @param {number} depth @param {PlacedBox[]} boxes @param {PlacedLine[]} lines */
function place(laid, left, top, depth, boxes, lines) {
  for (const { box, face, x, y, width, height, inner } of laid.boxes) {
    boxes.push({ id: box.id, box, face, isOpen: inner !== null, depth, x: left + x, y: top + y, width, height });
    if (inner) place(inner, left + x, top + y, depth + 1, boxes, lines);
  }
  for (const { points, ...line } of laid.lines) {
    if (!points.length) continue;
    const moved = points.map(({ x, y }) => ({ x: left + x, y: top + y }));
    const [xs, ys] = [moved.map(({ x }) => x), moved.map(({ y }) => y)];
    lines.push({
      ...line,
      points: moved,
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

/** Everything that a box's data comes from, or goes to, in what is drawn: boxes and lines.
 * @param {Scene} scene @param {string} id @param {"in" | "out"} way @param {boolean} onlyNext only the boxes next to it
 * @returns {{boxes: Set<string>, lines: Set<PlacedLine>}} */
export function traced(scene, id, way, onlyNext = false) {
  const [next, end] =
    way === "in" ? [scene.back, /** @type {const} */ ("from")] : [scene.forth, /** @type {const} */ ("to")];
  /** @type {Set<PlacedLine>} */
  const lines = new Set();
  /** @type {Set<string>} */
  const boxes = new Set();
  const isOpen = scene.byId.get(id)?.isOpen ?? false;
  const starts = isOpen ? [...next.keys()].filter((name) => name.startsWith(portsOf(id, way))) : [id];
  const seen = new Set(starts);
  const waiting = [...seen];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const line of next.get(name) ?? []) {
      lines.add(line);
      const reached = line[end];
      if (seen.has(reached)) continue;
      seen.add(reached);
      const isBox = scene.byId.has(reached);
      if (isBox) boxes.add(reached);
      if (!isBox || !onlyNext) waiting.push(reached);
    }
  }
  boxes.delete(id);
  return { boxes, lines };
}

/** The box that an arrow key leads to: along the edges, or to the neighbour beside it.
 * @param {Scene} scene @param {PlacedBox} from @param {"ahead" | "behind" | "before" | "after"} where
 * @param {boolean} isDown does the graph lead down? */
export function stepFrom(scene, from, where, isDown) {
  const middle = (/** @type {PlacedBox} */ { x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });
  const start = middle(from);
  const across = (/** @type {PlacedBox} */ box) => (isDown ? middle(box).x - start.x : middle(box).y - start.y);
  if (where === "ahead" || where === "behind") {
    const near = traced(scene, from.id, where === "ahead" ? "out" : "in", true).boxes;
    const boxes = [...near].flatMap((id) => scene.byId.get(id) ?? []);
    return least(boxes, (box) => Math.abs(across(box)) + Math.hypot(middle(box).x - start.x, middle(box).y - start.y));
  }
  const sign = where === "after" ? 1 : -1;
  const beside = scene.boxes.filter(
    (box) => box !== from && box.box.scope === from.box.scope && across(box) * sign > 1,
  );
  return least(beside, (box) => {
    const along = isDown ? middle(box).y - start.y : middle(box).x - start.x;
    return Math.abs(across(box)) + 3 * Math.abs(along);
  });
}

/** @template Item @param {Item[]} items @param {(item: Item) => number} far @returns {Item | null} */
function least(items, far) {
  /** @type {Item | null} */
  let best = null;
  let least = Infinity;
  for (const item of items) {
    const distance = far(item);
    if (distance < least) [best, least] = [item, distance];
  }
  return best;
}
