// Contours of a grid by marching squares: where it is at or above a level, and the lines on which it is at the level.

/** A closed curve around what is at or above a level. Places are columns and rows, fractions between points.
 * @typedef {object} Ring
 * @property {number[]} columns
 * @property {number[]} rows
 * @property {boolean[]} isEdge does the piece behind each point run along the edge of what is known, instead of at
 * the level?
 * */

/** Lower than all heights: a point that is missing. And the least level above it. */
const MISSING = -Infinity;
const LEAST = -Number.MAX_VALUE;

/** The curves at several levels of one grid. @param {ArrayLike<number>} heights row by row; NaN is missing
 * @param {number} columns @param {number} rows
 * @param {readonly number[]} levels ascending; -Infinity: around all that is known @returns {Ring[][]} */
export function ringsOf(heights, columns, rows, levels) {
  // A frame of missing points closes every curve.
  const across = columns + 2;
  const framed = new Float64Array(across * (rows + 2)).fill(MISSING);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const height = heights[row * columns + column];
      if (!Number.isNaN(height)) framed[(row + 1) * across + column + 1] = height;
    }
  }
  const least = levels.map((level) => Math.max(level, LEAST));
  const next = new Int32Array(2 * framed.length).fill(-1);
  return cellsOf(framed, across, least).map((cells, place) => traced(cells, next, framed, across, least[place]));
}

/** The cells that the curve of each level goes through, by their first corner: few of all, which are looked at once.
 * @param {Float64Array} framed @param {number} across @param {readonly number[]} levels */
function cellsOf(framed, across, levels) {
  /** @type {number[][]} */
  const byLevel = levels.map(() => []);
  const last = framed.length - across - 1;
  for (let at = 0; at < last; at++) {
    const lowest = Math.min(framed[at], framed[at + 1], framed[at + across], framed[at + across + 1]);
    const highest = Math.max(framed[at], framed[at + 1], framed[at + across], framed[at + across + 1]);
    for (let place = 0; levels[place] <= highest; place++) if (levels[place] > lowest) byLevel[place].push(at);
  }
  return byLevel;
}

/** Curves are followed from side to side of the cells. A side has the number of the point at its left or top end,
 * twice; and one more when it leads down.
 * @param {number[]} cells @param {Int32Array} next -1 before and after @param {Float64Array} framed
 * @param {number} across @param {number} level */
function traced(cells, next, framed, across, level) {
  /** @type {number[]} */
  const begins = [];
  /** @type {Set<number>} */
  const edges = new Set();
  for (const at of cells) {
    const mask =
      Number(framed[at] >= level) |
      (Number(framed[at + 1] >= level) << 1) |
      (Number(framed[at + across + 1] >= level) << 2) |
      (Number(framed[at + across] >= level) << 3);
    const sum = framed[at] + framed[at + 1] + framed[at + across + 1] + framed[at + across];
    const sides = [2 * at, 2 * at + 3, 2 * (at + across), 2 * at + 1];
    for (const [from, to] of PIECES[isSaddle(mask) && sum / 4 >= level ? mask + 16 : mask]) {
      next[sides[from]] = sides[to];
      begins.push(sides[from]);
      if (sum === MISSING) edges.add(sides[from]);
    }
  }
  return begins.flatMap((first) => (next[first] < 0 ? [] : [ringFrom(first, next, edges, framed, across, level)]));
}

/** @param {number} mask */
const isSaddle = (mask) => mask === 5 || mask === 10;

/** Pieces of the curve in a cell by which of its corners are inside, from the side where it leaves what is inside,
 * clockwise, to where it comes back.
 * Two corners across from each other are apart; joined over the middle 16 further on.
 * @type {Record<number, Array<[number, number]>>} */
const PIECES = Object.fromEntries([
  ...Array.from({ length: 14 }, (_, place) => [place + 1, piecesOf(place + 1, false)]),
  ...[5, 10].map((mask) => [mask + 16, piecesOf(mask, true)]),
]);

/** @param {number} mask @param {boolean} isJoined @returns {Array<[number, number]>} */
function piecesOf(mask, isJoined) {
  const isIn = (/** @type {number} */ corner) => Boolean(mask & (1 << (corner % 4)));
  const leaves = [0, 1, 2, 3].filter((corner) => isIn(corner) && !isIn(corner + 1));
  const comes = [0, 1, 2, 3].filter((corner) => !isIn(corner) && isIn(corner + 1));
  return leaves.map((leave) => [leave, leaves.length === 1 ? comes[0] : (leave + (isJoined ? 1 : 3)) % 4]);
}

/** @param {number} first @param {Int32Array} next loses the ring @param {Set<number>} edges
 * @param {Float64Array} framed @param {number} across @param {number} level */
function ringFrom(first, next, edges, framed, across, level) {
  /** @type {Ring} */
  const ring = { columns: [], rows: [], isEdge: [] };
  for (let side = first; next[side] >= 0; ) {
    const at = side >> 1;
    const isDown = side & 1;
    const [from, to] = [framed[at], framed[at + (isDown ? across : 1)]];
    // Beside a missing point it passes the known one.
    const share = from === MISSING ? 1 : to === MISSING ? 0 : (level - from) / (to - from);
    ring.columns.push((at % across) - 1 + (isDown ? 0 : share));
    ring.rows.push(Math.floor(at / across) - 1 + (isDown ? share : 0));
    ring.isEdge.push(edges.has(side));
    const following = next[side];
    next[side] = -1;
    side = following;
  }
  return ring;
}

/** The pieces of a ring that are at the level, each as the indices of its points; a closed one ends where it begins.
 * @param {Ring} ring @returns {number[][]} */
export function linesOf({ isEdge }) {
  const count = isEdge.length;
  const begin = isEdge.indexOf(true);
  if (begin < 0) return [[...Array(count).keys(), 0]];
  /** @type {number[][]} */
  const lines = [];
  /** @type {number[]} */
  let line = [];
  for (let step = 1; step <= count; step++) {
    const at = (begin + step) % count;
    line.push(at);
    if (!isEdge[at]) continue;
    if (line.length > 1) lines.push(line);
    line = [];
  }
  return lines;
}
