// Where the boxes of a dataset pipeline stand: sources on top, the last stage below, each above what it feeds.

import { mainParameters } from "../../../data/dataset_stages.js";
import { operationText, valueText } from "../../../data/dataset_value.js";

/** @typedef {import("../../../data/dataset_stages.js").Placed} Placed */

/** A line in a box: a parameter, or an operation, which has no name. @typedef {{name: string, text: string}} Line */
/** @typedef {Placed & {x: number, y: number, width: number, height: number, lines: Line[], more: number}} Box */
/** @typedef {{boxes: Box[], width: number, height: number}} Layout */

export const HEAD = 30;
export const LINE = 17;
const WIDTH = 248;
const GAP = 24;
const BETWEEN = 34;
const MARGIN = 12;
const FOOT = 8;
/** Lines of a box; the rest is among the details. */
const MOST_LINES = 6;

/** @param {Placed[]} placed the last stage first @returns {Layout} */
export function layOut(placed) {
  /** @type {Map<Placed, Box>} */
  const boxes = new Map(placed.map((one) => [one, { ...one, x: 0, y: 0, width: WIDTH, ...contentOf(one) }]));
  const rows = Map.groupBy(boxes.values(), (box) => box.depth);
  const deepest = Math.max(...rows.keys());
  let y = MARGIN;
  for (let depth = deepest; depth >= 0; depth--) {
    const row = rows.get(depth) ?? [];
    const height = Math.max(...row.map((box) => box.height));
    for (const box of row) box.y = y + height - box.height;
    y += height + BETWEEN;
  }
  const columns = placeAcross(placed, boxes);
  return {
    boxes: [...boxes.values()],
    width: columns * (WIDTH + GAP) - GAP + 2 * MARGIN,
    height: y - BETWEEN + MARGIN,
  };
}

/** @param {Placed} placed */
function contentOf({ stage }) {
  const all = [
    ...mainParameters(stage).map(([name, value]) => ({ name, text: valueText(value) })),
    ...(stage.sampler ? [{ name: "sampler", text: operationText(stage.sampler) }] : []),
    ...stage.operations.map((operation) => ({ name: "", text: operationText(operation) })),
  ];
  const lines = all.length > MOST_LINES ? all.slice(0, MOST_LINES - 1) : all;
  const more = all.length - lines.length;
  return { lines, more, height: HEAD + (lines.length + Number(more > 0)) * LINE + (all.length ? FOOT : 0) };
}

/** Sources stand side by side; a stage is in the middle of those that feed it. Returns the number of columns.
 * @param {Placed[]} placed @param {ReadonlyMap<Placed, Box>} boxes */
function placeAcross(placed, boxes) {
  let columns = 0;
  /** Children before the stage they feed, without recursion. @type {Placed[]} */
  const order = [];
  const waiting = placed.slice(0, 1);
  while (waiting.length) {
    const one = /** @type {Placed} */ (waiting.pop());
    order.push(one);
    waiting.push(...one.fedBy);
  }
  for (const one of order.reverse()) {
    const box = /** @type {Box} */ (boxes.get(one));
    const [first, last] = [one.fedBy[0], one.fedBy.at(-1)].map(
      (child) => child && /** @type {Box} */ (boxes.get(child)),
    );
    box.x = first && last ? (first.x + last.x) / 2 : MARGIN + columns++ * (WIDTH + GAP);
  }
  return columns;
}
