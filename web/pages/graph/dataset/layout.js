// The layout of a dataset pipeline: sources at the top, the last stage at the bottom, each stage above its consumer.

import { mainParameters } from "../../../data/kinds/dataset_stages.js";
import { operationText, valueText } from "../../../data/kinds/dataset_value.js";

/** @typedef {import("../../../data/kinds/dataset_stages.js").Placed} Placed */

/** A line in a box: a parameter, or an operation with an empty name. @typedef {{name: string, text: string}} Line */
/** @typedef {Placed & {x: number, y: number, width: number, height: number, lines: Line[], more: number}} Box */
/** @typedef {{boxes: Box[], width: number, height: number}} Layout */

export const HEAD_HEIGHT = 30;
export const LINE_HEIGHT = 17;
const BOX_WIDTH = 248;
const COLUMN_GAP = 24;
const ROW_GAP = 34;
const MARGIN = 12;
const PADDING_BOTTOM = 8;
/** Lines in a box; the details list the rest. */
const MAX_LINES = 6;

/** @param {Placed[]} placed the last stage first @returns {Layout} */
export function layOut(placed) {
  /** @type {Map<Placed, Box>} */
  const boxes = new Map(
    placed.map((stage) => [stage, { ...stage, x: 0, y: 0, width: BOX_WIDTH, ...contentOf(stage) }]),
  );
  const rows = Map.groupBy(boxes.values(), (box) => box.depth);
  const deepest = Math.max(...rows.keys());
  let y = MARGIN;
  for (let depth = deepest; depth >= 0; depth--) {
    const row = rows.get(depth) ?? [];
    const height = Math.max(...row.map((box) => box.height));
    for (const box of row) box.y = y + height - box.height;
    y += height + ROW_GAP;
  }
  const columns = placeHorizontally(placed, boxes);
  return {
    boxes: [...boxes.values()],
    width: columns * (BOX_WIDTH + COLUMN_GAP) - COLUMN_GAP + 2 * MARGIN,
    height: y - ROW_GAP + MARGIN,
  };
}

/** @param {Placed} placed */
function contentOf({ stage }) {
  const all = [
    ...mainParameters(stage).map(([name, value]) => ({ name, text: valueText(value) })),
    ...(stage.sampler ? [{ name: "sampler", text: operationText(stage.sampler) }] : []),
    ...stage.operations.map((operation) => ({ name: "", text: operationText(operation) })),
  ];
  const lines = all.length > MAX_LINES ? all.slice(0, MAX_LINES - 1) : all;
  const more = all.length - lines.length;
  return {
    lines,
    more,
    height: HEAD_HEIGHT + (lines.length + Number(more > 0)) * LINE_HEIGHT + (all.length ? PADDING_BOTTOM : 0),
  };
}

/** Places sources side by side, and each other stage centred below its inputs. Returns the number of columns.
 * @param {Placed[]} placed @param {ReadonlyMap<Placed, Box>} boxes */
function placeHorizontally(placed, boxes) {
  let columns = 0;
  /** Inputs before their consumer, without recursion. @type {Placed[]} */
  const order = [];
  const pending = placed.slice(0, 1);
  while (pending.length) {
    const stage = /** @type {Placed} */ (pending.pop());
    order.push(stage);
    pending.push(...stage.fedBy);
  }
  for (const stage of order.reverse()) {
    const box = /** @type {Box} */ (boxes.get(stage));
    const [first, last] = [stage.fedBy[0], stage.fedBy.at(-1)].map(
      (child) => child && /** @type {Box} */ (boxes.get(child)),
    );
    box.x = first && last ? (first.x + last.x) / 2 : MARGIN + columns++ * (BOX_WIDTH + COLUMN_GAP);
  }
  return columns;
}
