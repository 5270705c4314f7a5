// The map of a landscape in pixels: areas, contour lines with their labels, axes. Pure; the page and a download draw
// it.

import { linesOf, ringsOf } from "./contours.js";
import { placeOn } from "./grid.js";

/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {import("./contours.js").Ring} Ring */

/** The plot area in the drawing, and which coordinates are at its edges.
 * @typedef {object} Frame
 * @property {number} left @property {number} top @property {number} width @property {number} height in pixels
 * @property {readonly [number, number]} x @property {readonly [number, number]} y
 */

/** @param {Frame} frame @param {number} x */
export const toLeft = ({ left, width, x: [lo, hi] }, x) => left + ((x - lo) / (hi - lo || 1)) * width;
/** @param {Frame} frame @param {number} y */
export const toTop = ({ top, height, y: [lo, hi] }, y) => top + height - ((y - lo) / (hi - lo || 1)) * height;
/** @param {Frame} frame @param {number} left @param {number} top in pixels @returns {[x: number, y: number]} */
export const coordinatesAt = (frame, left, top) => [
  frame.x[0] + ((left - frame.left) / frame.width) * (frame.x[1] - frame.x[0]),
  frame.y[0] + ((frame.top + frame.height - top) / frame.height) * (frame.y[1] - frame.y[0]),
];

/** How far coordinates reach, with a little air where there is only one.
 * @param {ArrayLike<number>} axis @returns {[number, number]} */
export function extentOf(axis) {
  const [one, other] = [axis[0], axis[axis.length - 1]];
  return one === other ? [one - 0.5, one + 0.5] : [Math.min(one, other), Math.max(one, other)];
}

/** A line at a level: its path, and where its label stands.
 * @typedef {{level: number, path: string}} Contour */
/** @typedef {{level: number, left: number, top: number, turn: number}} Label */

/** Paths of a grid: the area of all that is known, of what is at or above each level; the lines at the levels, and
 * labels on them.
 * @param {Grid} grid @param {readonly number[]} levels ascending @param {Frame} frame
 * @param {(level: number) => number} labelWidth in pixels
 * @param {ArrayLike<{left: number, top: number}>} covered places that labels keep away from */
export function contourPaths({ x, y, heights }, levels, frame, labelWidth, covered) {
  const [all, ...rings] = ringsOf(heights, x.length, y.length, [-Infinity, ...levels]);
  const placed = rings.map((several) => several.map((ring) => placedRing(ring, x, y, frame)));
  const lines = rings.map((several, at) =>
    several.flatMap((ring, which) => linesOf(ring).map((line) => ({ line, points: placed[at][which] }))),
  );
  return {
    known: all.map((ring) => closed(placedRing(ring, x, y, frame))).join(""),
    areas: levels.map((level, at) => ({ level, path: placed[at].map(closed).join("") })).filter(({ path }) => path),
    contours: levels
      .map((level, at) => ({ level, path: lines[at].map(({ line, points }) => opened(line, points)).join("") }))
      .filter(({ path }) => path),
    labels: labelsOf(levels, lines, frame, labelWidth, covered),
  };
}

/** Pixels of a ring's points. @typedef {{lefts: Float64Array, tops: Float64Array}} Points */

/** @param {Ring} ring @param {Float64Array} x @param {Float64Array} y @param {Frame} frame @returns {Points} */
function placedRing({ columns, rows }, x, y, frame) {
  const [lefts, tops] = [new Float64Array(columns.length), new Float64Array(rows.length)];
  for (let at = 0; at < columns.length; at++) {
    lefts[at] = toLeft(frame, placeOn(x, columns[at]));
    tops[at] = toTop(frame, placeOn(y, rows[at]));
  }
  return { lefts, tops };
}

/** @param {number} number */
const short = (number) => String(Math.round(number * 10) / 10);

/** @param {Points} points */
function closed({ lefts, tops }) {
  let path = "";
  for (let at = 0; at < lefts.length; at++) path += `${at ? "L" : "M"}${short(lefts[at])} ${short(tops[at])}`;
  return path && `${path}Z`;
}

/** @param {readonly number[]} line @param {Points} points */
const opened = (line, { lefts, tops }) =>
  line.map((at, place) => `${place ? "L" : "M"}${short(lefts[at])} ${short(tops[at])}`).join("");

/** Pixels that a label keeps from others, from the edges, and on its line around itself. */
const AIR = 6;
const HEIGHT = 12;
/** Of more levels only every so many-th is labelled. */
const MOST_LABELLED = 20;

/** On the longest lines of each level, where they are straight and nothing else is written.
 * @param {readonly number[]} levels @param {Array<Array<{line: readonly number[], points: Points}>>} lines
 * @param {Frame} frame
 * @param {(level: number) => number} labelWidth @param {ArrayLike<{left: number, top: number}>} covered
 * @returns {Label[]} */
function labelsOf(levels, lines, frame, labelWidth, covered) {
  /** @type {Array<Label & {reach: number}>} */
  const labels = [];
  const points = Array.from(covered, (point) => ({ ...point, reach: 2 }));
  const every = Math.ceil(levels.length / MOST_LABELLED);
  levels.forEach((level, at) => {
    if (at % every) return;
    const width = labelWidth(level);
    const longest = lines[at]
      .map((one) => ({ ...one, length: lengthOf(one.line, one.points) }))
      .filter(({ length }) => length > width * 2.5)
      .sort((one, other) => other.length - one.length);
    for (const { line, points: pixels } of longest.slice(0, 2)) {
      const place = placeFor(line, pixels, width, frame, [...labels, ...points]);
      if (place) labels.push({ level, ...place, reach: width / 2 + AIR });
    }
  });
  return labels.map(({ reach, ...label }) => label);
}

/** @param {readonly number[]} line @param {Points} points */
function lengthOf(line, { lefts, tops }) {
  let length = 0;
  for (let place = 1; place < line.length; place++)
    length += Math.hypot(lefts[line[place]] - lefts[line[place - 1]], tops[line[place]] - tops[line[place - 1]]);
  return length;
}

/** Tried places along a line. */
const TRIED = 24;

/** @param {readonly number[]} line @param {Points} points @param {number} width @param {Frame} frame
 * @param {Array<{left: number, top: number, reach: number}>} taken */
function placeFor(line, { lefts, tops }, width, frame, taken) {
  let best = null;
  let straightest = 0.9;
  for (let tried = 1; tried < TRIED; tried++) {
    const middle = Math.floor((tried / TRIED) * line.length);
    const [left, top] = [lefts[line[middle]], tops[line[middle]]];
    const isInside =
      left - width / 2 > frame.left + AIR &&
      left + width / 2 < frame.left + frame.width - AIR &&
      top > frame.top + HEIGHT &&
      top < frame.top + frame.height - HEIGHT;
    if (
      !isInside ||
      taken.some(
        (other) => Math.abs(other.left - left) < other.reach + width / 2 && Math.abs(other.top - top) < HEIGHT + 4,
      )
    )
      continue;
    const [from, to] = [
      walked(line, lefts, tops, middle, -1, width / 2),
      walked(line, lefts, tops, middle, 1, width / 2),
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

/** The point a length further on along a line.
 * @param {readonly number[]} line @param {Float64Array} lefts @param {Float64Array} tops @param {number} from
 * @param {1 | -1} by @param {number} length */
function walked(line, lefts, tops, from, by, length) {
  let place = from;
  for (let left = length; left > 0 && line[place + by] !== undefined; place += by) {
    left -= Math.hypot(lefts[line[place + by]] - lefts[line[place]], tops[line[place + by]] - tops[line[place]]);
  }
  return line[place];
}

/** Round numbers on an axis, about `most` of them.
 * @param {readonly [number, number]} extent @param {number} most @returns {number[]} */
export function ticksOf([lo, hi], most) {
  const rough = (hi - lo) / Math.max(2, most);
  const decade = 10 ** Math.floor(Math.log10(rough));
  const increment = decade * ([1, 2, 5].find((factor) => factor * decade >= rough) ?? 10);
  const first = Math.ceil(lo / increment);
  return Array.from({ length: Math.max(0, Math.floor(hi / increment) - first + 1) }, (_, place) =>
    Number(((first + place) * increment).toPrecision(12)),
  );
}
