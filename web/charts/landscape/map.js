// The map of a landscape in pixels: filled areas, contour lines and their labels, axis ticks.

import { contourRings, levelLines } from "./contours.js";
import { coordinateAt } from "./grid.js";

/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {import("./contours.js").Ring} Ring */

/** The plot area of a drawing, and the coordinates at its edges.
 * @typedef {object} Frame
 * @property {number} left @property {number} top @property {number} width @property {number} height in pixels
 * @property {readonly [number, number]} x @property {readonly [number, number]} y */

/** @param {Frame} frame @param {number} x */
export const toLeft = ({ left, width, x: [lo, hi] }, x) => left + ((x - lo) / (hi - lo || 1)) * width;
/** @param {Frame} frame @param {number} y */
export const toTop = ({ top, height, y: [lo, hi] }, y) => top + height - ((y - lo) / (hi - lo || 1)) * height;
/** @param {Frame} frame @param {number} left @param {number} top in pixels @returns {[x: number, y: number]} */
export const coordinatesAt = (frame, left, top) => [
  frame.x[0] + ((left - frame.left) / frame.width) * (frame.x[1] - frame.x[0]),
  frame.y[0] + ((frame.top + frame.height - top) / frame.height) * (frame.y[1] - frame.y[0]),
];

/** The range of an axis, widened if the axis has one coordinate.
 * @param {ArrayLike<number>} axis @returns {[number, number]} */
export function extentOf(axis) {
  const [first, last] = [axis[0], axis[axis.length - 1]];
  return first === last ? [first - 0.5, first + 0.5] : [Math.min(first, last), Math.max(first, last)];
}

/** The lines at a level as an SVG path.
 * @typedef {{level: number, path: string}} Contour */
/** @typedef {{level: number, left: number, top: number, turn: number}} Label */

/** Returns the SVG paths of a grid: the area of all known points, the areas at or above each level, the lines at the
 * levels, and line labels.
 * @param {Grid} grid @param {readonly number[]} levels ascending @param {Frame} frame
 * @param {(level: number) => number} labelWidth in pixels
 * @param {ArrayLike<{left: number, top: number}>} avoided points that labels avoid */
export function contourPaths({ x, y, heights }, levels, frame, labelWidth, avoided) {
  const [all, ...rings] = contourRings(heights, x.length, y.length, [-Infinity, ...levels]);
  const pointsByLevel = rings.map((ofLevel) => ofLevel.map((ring) => ringPoints(ring, x, y, frame)));
  const lines = rings.map((ofLevel, at) =>
    ofLevel.flatMap((ring, which) => levelLines(ring).map((line) => ({ line, points: pointsByLevel[at][which] }))),
  );
  return {
    known: all.map((ring) => closedPath(ringPoints(ring, x, y, frame))).join(""),
    areas: levels
      .map((level, at) => ({ level, path: pointsByLevel[at].map(closedPath).join("") }))
      .filter(({ path }) => path),
    contours: levels
      .map((level, at) => ({ level, path: lines[at].map(({ line, points }) => linePath(line, points)).join("") }))
      .filter(({ path }) => path),
    labels: labelsOf(levels, lines, frame, labelWidth, avoided),
  };
}

/** The points of a ring in pixels. @typedef {{lefts: Float64Array, tops: Float64Array}} Points */

/** @param {Ring} ring @param {Float64Array} x @param {Float64Array} y @param {Frame} frame @returns {Points} */
function ringPoints({ columns, rows }, x, y, frame) {
  const [lefts, tops] = [new Float64Array(columns.length), new Float64Array(rows.length)];
  for (let at = 0; at < columns.length; at++) {
    lefts[at] = toLeft(frame, coordinateAt(x, columns[at]));
    tops[at] = toTop(frame, coordinateAt(y, rows[at]));
  }
  return { lefts, tops };
}

/** @param {number} number */
const rounded = (number) => String(Math.round(number * 10) / 10);

/** @param {Points} points */
function closedPath({ lefts, tops }) {
  let path = "";
  for (let at = 0; at < lefts.length; at++) path += `${at ? "L" : "M"}${rounded(lefts[at])} ${rounded(tops[at])}`;
  return path && `${path}Z`;
}

/** @param {readonly number[]} line @param {Points} points */
const linePath = (line, { lefts, tops }) =>
  line.map((at, place) => `${place ? "L" : "M"}${rounded(lefts[at])} ${rounded(tops[at])}`).join("");

/** Clearance of a label in pixels: to other labels, to the edges, and to its own line. */
const CLEARANCE = 6;
const LABEL_HEIGHT = 12;
/** If there are more levels, only every nth is labelled. */
const MAX_LABELLED = 20;

/** Places labels on the longest lines of each level, where these are straight and free.
 * @param {readonly number[]} levels @param {Array<Array<{line: readonly number[], points: Points}>>} lines
 * @param {Frame} frame
 * @param {(level: number) => number} labelWidth @param {ArrayLike<{left: number, top: number}>} avoided
 * @returns {Label[]} */
function labelsOf(levels, lines, frame, labelWidth, avoided) {
  /** @type {Array<Label & {range: number}>} */
  const labels = [];
  const points = Array.from(avoided, (point) => ({ ...point, range: 2 }));
  const every = Math.ceil(levels.length / MAX_LABELLED);
  levels.forEach((level, at) => {
    if (at % every) return;
    const width = labelWidth(level);
    const longest = lines[at]
      .map(({ line, points }) => ({ line, points, length: lengthOf(line, points) }))
      .filter(({ length }) => length > width * 2.5)
      .sort((a, b) => b.length - a.length);
    for (const { line, points: pixels } of longest.slice(0, 2)) {
      const place = straightestPlace(line, pixels, width, frame, [...labels, ...points]);
      if (place) labels.push({ level, ...place, range: width / 2 + CLEARANCE });
    }
  });
  return labels.map(({ range, ...label }) => label);
}

/** @param {readonly number[]} line @param {Points} points */
function lengthOf(line, { lefts, tops }) {
  let length = 0;
  for (let place = 1; place < line.length; place++)
    length += Math.hypot(lefts[line[place]] - lefts[line[place - 1]], tops[line[place]] - tops[line[place - 1]]);
  return length;
}

/** Candidate positions along a line. */
const CANDIDATES = 24;

/** @param {readonly number[]} line @param {Points} points @param {number} width @param {Frame} frame
 * @param {Array<{left: number, top: number, range: number}>} occupied */
function straightestPlace(line, { lefts, tops }, width, frame, occupied) {
  let best = null;
  let straightest = 0.9;
  for (let candidate = 1; candidate < CANDIDATES; candidate++) {
    const middle = Math.floor((candidate / CANDIDATES) * line.length);
    const [left, top] = [lefts[line[middle]], tops[line[middle]]];
    const isInside =
      left - width / 2 > frame.left + CLEARANCE &&
      left + width / 2 < frame.left + frame.width - CLEARANCE &&
      top > frame.top + LABEL_HEIGHT &&
      top < frame.top + frame.height - LABEL_HEIGHT;
    if (
      !isInside ||
      occupied.some(
        (other) =>
          Math.abs(other.left - left) < other.range + width / 2 && Math.abs(other.top - top) < LABEL_HEIGHT + 4,
      )
    )
      continue;
    const [from, to] = [
      pointAlong(line, lefts, tops, middle, -1, width / 2),
      pointAlong(line, lefts, tops, middle, 1, width / 2),
    ];
    const [across, down] = [lefts[to] - lefts[from], tops[to] - tops[from]];
    const straightness = Math.hypot(across, down) / width - Math.abs(down) / width / 8;
    if (straightness <= straightest || straightness > 1.5) continue;
    straightest = straightness;
    const turn = (Math.atan2(down, across) * 180) / Math.PI;
    best = { left, top, turn: turn > 90 ? turn - 180 : turn < -90 ? turn + 180 : turn };
  }
  return best;
}

/** The point at a distance along a line, in pixels.
 * @param {readonly number[]} line @param {Float64Array} lefts @param {Float64Array} tops @param {number} from
 * @param {1 | -1} by @param {number} length */
function pointAlong(line, lefts, tops, from, by, length) {
  let place = from;
  for (let left = length; left > 0 && line[place + by] !== undefined; place += by) {
    left -= Math.hypot(lefts[line[place + by]] - lefts[line[place]], tops[line[place + by]] - tops[line[place]]);
  }
  return line[place];
}
