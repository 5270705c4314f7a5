// Which box of a dataset pipeline an arrow key leads to.

/** @typedef {import("./layout.js").Box} Box */

/** Up to what feeds a stage, down to what it feeds, sideways to the next one of its row.
 * @param {Box[]} boxes the last stage first @param {Box} box @param {string} key
 * @returns {Box | null | undefined} null: there is none; undefined: the key is no arrow */
export function neighbourOf(boxes, box, key) {
  const find = (/** @type {string | undefined} */ id) => boxes.find((one) => one.id === id) ?? null;
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
      return boxes.find(({ y }) => y === Math.min(...boxes.map((one) => one.y))) ?? null;
    case "End":
      return boxes[0];
    default:
      return undefined;
  }
}
