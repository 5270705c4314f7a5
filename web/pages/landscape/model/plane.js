// Identity of planes and surfaces, and the measured nodes of a landscape.

/** @typedef {import("./landscape.js").Landscape} Landscape */

/** Returns a key of the plane: landscapes with equal keys share their coordinates.
 * @param {Landscape} landscape */
export const planeOf = ({ run, tag, diagnostics }) => diagnostics?.provenance.axes ?? JSON.stringify([run, tag]);

/** Returns a key of the surface: landscapes with equal keys share plane, network and samples, and differ only in
 * their paths.
 * @param {Landscape} landscape */
export function surfaceOf({ run, tag, diagnostics }) {
  const { axes, samples, network } = diagnostics?.provenance ?? {};
  return JSON.stringify(axes && samples ? { axes, samples, network } : [run, tag]);
}

/** The measured nodes; all points of the file if it does not distinguish them.
 * @param {Landscape} landscape
 * @returns {{x: Float64Array, y: Float64Array, z: Float64Array, isKnown: (at: number) => boolean,
 * errorOf: (at: number) => number, differenceErrorOf: (at: number) => number}} */
export function nodesOf({ x, y, z, measured }) {
  if (!measured) return { x, y, z, isKnown: () => true, errorOf: () => NaN, differenceErrorOf: () => NaN };
  return {
    x: measured.x,
    y: measured.y,
    z: measured.z,
    isKnown: (at) => measured.known[at] === 1,
    errorOf: (at) => measured.standardError[at],
    differenceErrorOf: (at) => measured.differenceError?.[at] ?? NaN,
  };
}

/** Was only a line measured? The loss is then the same for all y. @param {Landscape} landscape */
export const isLine = ({ measured }) => measured !== null && measured.y.length === 1;

/** The refinement level of a node: the coarsest level that contains it; 0 for the corners.
 * @param {number} column @param {number} row @param {number} columns @param {number} rows */
export function levelOf(column, row, columns, rows) {
  const finest = Math.round(Math.log2(Math.max(columns, rows, 2) - 1));
  const of = (/** @type {number} */ place) => (place === 0 ? 0 : finest - Math.min(finest, Math.log2(place & -place)));
  return Math.max(of(column), of(row));
}
