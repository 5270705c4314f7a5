// Contours of a grid by marching squares: the regions at or above a level, and their boundary lines.

/** A closed curve around a region at or above a level. Positions are fractional column and row indices.
 * @typedef {object} Ring
 * @property {number[]} columns
 * @property {number[]} rows
 * @property {boolean[]} isEdge per point: the segment after it follows the boundary of the known points, not the
 * level */

/** The height of a missing point, lower than all others; and the lowest level above it. */
const MISSING = -Infinity;
const LOWEST = -Number.MAX_VALUE;

/** Returns the rings of each level. @param {ArrayLike<number>} heights row by row; NaN = missing
 * @param {number} columns @param {number} rows
 * @param {readonly number[]} levels ascending; -Infinity = around all known points @returns {Ring[][]} */
export function contourRings(heights, columns, rows, levels) {
  // Padding with missing points closes every curve.
  const stride = columns + 2;
  const padded = new Float64Array(stride * (rows + 2)).fill(MISSING);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const height = heights[row * columns + column];
      if (!Number.isNaN(height)) padded[(row + 1) * stride + column + 1] = height;
    }
  }
  const cutoffs = levels.map((level) => Math.max(level, LOWEST));
  const next = new Int32Array(2 * padded.length).fill(-1);
  return cellsByLevel(padded, stride, cutoffs).map((cells, place) =>
    traceRings(cells, next, padded, stride, cutoffs[place]),
  );
}

/** Returns for each level the cells that its curve crosses, as the index of their top-left corner. One pass over all
 * cells.
 * @param {Float64Array} padded @param {number} stride @param {readonly number[]} levels */
function cellsByLevel(padded, stride, levels) {
  /** @type {number[][]} */
  const byLevel = levels.map(() => []);
  const last = padded.length - stride - 1;
  for (let at = 0; at < last; at++) {
    const lowest = Math.min(padded[at], padded[at + 1], padded[at + stride], padded[at + stride + 1]);
    const highest = Math.max(padded[at], padded[at + 1], padded[at + stride], padded[at + stride + 1]);
    for (let place = 0; levels[place] <= highest; place++) if (levels[place] > lowest) byLevel[place].push(at);
  }
  return byLevel;
}

/** Traces the curves from cell side to cell side. The id of a side is twice the index of the point at its left or
 * top end, plus one if the side is vertical.
 * @param {number[]} cells @param {Int32Array} next scratch array of -1, which it is again on return
 * @param {Float64Array} padded
 * @param {number} stride @param {number} level */
function traceRings(cells, next, padded, stride, level) {
  /** @type {number[]} */
  const starts = [];
  /** @type {Set<number>} */
  const edges = new Set();
  for (const at of cells) {
    const mask =
      Number(padded[at] >= level) |
      (Number(padded[at + 1] >= level) << 1) |
      (Number(padded[at + stride + 1] >= level) << 2) |
      (Number(padded[at + stride] >= level) << 3);
    const sum = padded[at] + padded[at + 1] + padded[at + stride + 1] + padded[at + stride];
    const sides = [2 * at, 2 * at + 3, 2 * (at + stride), 2 * at + 1];
    for (const [from, to] of SEGMENTS[isSaddle(mask) && sum / 4 >= level ? mask + 16 : mask]) {
      next[sides[from]] = sides[to];
      starts.push(sides[from]);
      if (sum === MISSING) edges.add(sides[from]);
    }
  }
  return starts.flatMap((first) => (next[first] < 0 ? [] : [traceRing(first, next, edges, padded, stride, level)]));
}

/** @param {number} mask */
const isSaddle = (mask) => mask === 5 || mask === 10;

/** The curve segments in a cell by the mask of its inside corners: from the side where the curve exits the inside,
 * clockwise, to the side where it enters again. In masks + 16, diagonally opposite corners are connected through the
 * centre; otherwise they are separate.
 * @type {Record<number, Array<[number, number]>>} */
const SEGMENTS = Object.fromEntries([
  ...Array.from({ length: 14 }, (_, place) => [place + 1, segmentsOf(place + 1, false)]),
  ...[5, 10].map((mask) => [mask + 16, segmentsOf(mask, true)]),
]);

/** @param {number} mask @param {boolean} isJoined @returns {Array<[number, number]>} */
function segmentsOf(mask, isJoined) {
  const isInside = (/** @type {number} */ corner) => Boolean(mask & (1 << (corner % 4)));
  const exits = [0, 1, 2, 3].filter((corner) => isInside(corner) && !isInside(corner + 1));
  const entries = [0, 1, 2, 3].filter((corner) => !isInside(corner) && isInside(corner + 1));
  return exits.map((exit) => [exit, exits.length === 1 ? entries[0] : (exit + (isJoined ? 1 : 3)) % 4]);
}

/** @param {number} first @param {Int32Array} next the ring is removed from it @param {Set<number>} edges
 * @param {Float64Array} padded @param {number} stride @param {number} level */
function traceRing(first, next, edges, padded, stride, level) {
  /** @type {Ring} */
  const ring = { columns: [], rows: [], isEdge: [] };
  for (let side = first; next[side] >= 0; ) {
    const at = side >> 1;
    const isDown = side & 1;
    const [from, to] = [padded[at], padded[at + (isDown ? stride : 1)]];
    // Next to a missing point the curve passes through the known one.
    const share = from === MISSING ? 1 : to === MISSING ? 0 : (level - from) / (to - from);
    ring.columns.push((at % stride) - 1 + (isDown ? 0 : share));
    ring.rows.push(Math.floor(at / stride) - 1 + (isDown ? share : 0));
    ring.isEdge.push(edges.has(side));
    const successor = next[side];
    next[side] = -1;
    side = successor;
  }
  return ring;
}

/** Returns the parts of a ring that are at the level, each as point indices. A part that is the whole ring ends at
 * its first point.
 * @param {Ring} ring @returns {number[][]} */
export function levelLines({ isEdge }) {
  const count = isEdge.length;
  const firstEdge = isEdge.indexOf(true);
  if (firstEdge < 0) return [[...Array(count).keys(), 0]];
  /** @type {number[][]} */
  const lines = [];
  /** @type {number[]} */
  let line = [];
  for (let step = 1; step <= count; step++) {
    const at = (firstEdge + step) % count;
    line.push(at);
    if (!isEdge[at]) continue;
    if (line.length > 1) lines.push(line);
    line = [];
  }
  return lines;
}
