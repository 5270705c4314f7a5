// What flows along an edge, in few letters.

/** @typedef {import("../../../data/graphs.js").TypeView} TypeView */

/** "32×1×28×28", "?" where a size is unknown, "scalar" is "()". @param {number[]} shape */
const shapeText = (shape) => (shape.length ? shape.map((size) => (size < 0 ? "?" : String(size))).join("×") : "()");

/** "float32 32×10"; "" when nothing is known. @param {TypeView | null} type */
export const typeText = (type) =>
  type ? [type.dtype, type.shape && shapeText(type.shape)].filter(Boolean).join(" ") : "";

/** What stands on an edge: the shape of what flows, and how many there are.
 * @param {Array<TypeView & {count: number}>} types @param {number} count */
export function flowText(types, count) {
  const shape = types[0]?.shape;
  const text = shape ? shapeText(shape) : "";
  if (count <= 1) return text;
  return text && types[0].count === count ? `${count} × (${text})` : `×${count}`;
}
