// Which landscapes lie on one plane, and where a plane's loss was measured.

/** @typedef {import("./landscape.js").Landscape} Landscape */

/** Landscapes with equal names lie on one plane: their coordinates mean the same weights.
 * @param {Landscape} landscape */
export const planeOf = ({ run, tag, diagnostics }) => diagnostics?.provenance.axes ?? JSON.stringify([run, tag]);

/** Landscapes with equal names show one surface, measured with the same samples: then only their paths are their own.
 * @param {Landscape} landscape */
export function surfaceOf({ run, tag, diagnostics }) {
  const { axes, samples, network } = diagnostics?.provenance ?? {};
  return JSON.stringify(axes && samples ? { axes, samples, network } : [run, tag]);
}

/** Nodes with measured losses: those that its maker tells of, else all points of the file.
 * @param {Landscape} landscape
 * @returns {{x: Float64Array, y: Float64Array, z: Float64Array, isKnown: (at: number) => boolean,
 * errorOf: (at: number) => number}} */
export function nodesOf({ x, y, z, measured }) {
  if (!measured) return { x, y, z, isKnown: () => true, errorOf: () => NaN };
  return {
    x: measured.x,
    y: measured.y,
    z: measured.z,
    isKnown: (at) => measured.known[at] === 1,
    errorOf: (at) => measured.standardError[at],
  };
}

/** Was only a line measured? Then the loss is the same for all y. @param {Landscape} landscape */
export const isLine = ({ measured }) => measured !== null && measured.y.length === 1;

/** The level with which a node came: the coarsest that has it, 0 for the corners.
 * @param {number} column @param {number} row @param {number} columns @param {number} rows */
export function levelOf(column, row, columns, rows) {
  const finest = Math.round(Math.log2(Math.max(columns, rows, 2) - 1));
  const of = (/** @type {number} */ place) => (place === 0 ? 0 : finest - Math.min(finest, Math.log2(place & -place)));
  return Math.max(of(column), of(row));
}
