// Keyboard navigation between the stages of a dataset pipeline.

/** @typedef {import("./layout.js").Box} Box */

/** Up to the first input of a stage, down to its consumer, sideways within its row.
 * @param {Box[]} boxes the last stage first @param {Box} box @param {string} key
 * @returns {Box | null | undefined} null if there is no such box; undefined if the key does not navigate */
export function neighbourOf(boxes, box, key) {
  const find = (/** @type {string | undefined} */ id) => boxes.find((other) => other.id === id) ?? null;
  const row = boxes.filter(({ depth }) => depth === box.depth);
  switch (key) {
    case "ArrowUp":
      return find(box.fedBy[0]?.id);
    case "ArrowDown":
      return find(box.feeds?.id);
    case "ArrowLeft":
      return row[row.indexOf(box) - 1] ?? null;
    case "ArrowRight":
      return row[row.indexOf(box) + 1] ?? null;
    case "Home":
      return boxes.find(({ y }) => y === Math.min(...boxes.map((other) => other.y))) ?? null;
    case "End":
      return boxes[0];
    default:
      return undefined;
  }
}
