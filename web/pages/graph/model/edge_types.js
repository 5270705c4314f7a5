// Short texts for the tensors on an edge.

/** @typedef {import("../../../data/kinds/graphs.js").TypeView} TypeView */

/** "32×1×28×28", with "?" for an unknown size; "()" for a scalar. @param {number[]} shape */
const shapeText = (shape) => (shape.length ? shape.map((size) => (size < 0 ? "?" : String(size))).join("×") : "()");

/** "float32 32×10"; "" if the type is unknown. @param {TypeView | null} type */
export const typeText = (type) =>
  type ? [type.dtype, type.shape && shapeText(type.shape)].filter(Boolean).join(" ") : "";

/** The label of an edge: the shape and number of its tensors.
 * @param {Array<TypeView & {count: number}>} types @param {number} count */
export function flowText(types, count) {
  const shape = types[0]?.shape;
  const text = shape ? shapeText(shape) : "";
  if (count <= 1) return text;
  return text && types[0].count === count ? `${count} × (${text})` : `×${count}`;
}
