// A small picture of a loss landscape: filled contours and the training's path; several share one scale.

import { nothing, svg } from "lit-html";
import { decimate, gridOf, heightOf, heightRange, lossOf, numbersOf, refine } from "../charts/landscape/grid.js";
import { contourLevels } from "../charts/landscape/levels.js";
import { contourPaths, extentOf, toLeft, toTop } from "../charts/landscape/map.js";
import { colourOf } from "../charts/landscape/scales.js";
import { theme } from "../data/view/view.js";
import { shortNumber } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";

/** @typedef {import("../data/kinds/landscapes.js").LandscapeReply} Reply */
/** @typedef {import("../charts/landscape/grid.js").HeightScale} HeightScale */

/** The heights of several landscapes: scale, range, and contour levels.
 * @typedef {{scale: HeightScale, range: [number, number], levels: number[]}} Heights */

/** If the ratio of losses is larger, they are drawn on a logarithmic scale. */
const LARGEST_RATIO = 20;
const LEVELS = 10;
/** Of losses: if they differ by 1 % or more, further digits would move no contour by a quarter of a pixel. */
export const DIGITS = 6;
/** Points along an axis: more are decimate out, fewer are interpolated. */
const MOST = 65;
const FINE = 41;

/** @param {Reply} reply */
const surfaceOf = ({ x, y, z }) => ({ x: numbersOf(x), y: numbersOf(y), z: numbersOf(z.flat()) });

/** Returns one scale for several landscapes; null if none of them has a finite loss.
 * @param {Reply[]} replies @returns {Heights | null} */
export function heightsOf(replies) {
  const surfaces = replies.map(surfaceOf);
  const linear = heightRange(surfaces.map((surface) => gridOf(surface, "linear")));
  if (!linear) return null;
  const scale = linear[0] > 0 && linear[1] / linear[0] > LARGEST_RATIO ? "log" : "linear";
  const range = /** @type {[number, number]} */ (
    scale === "log" ? linear.map((loss) => heightOf(loss, scale)) : linear
  );
  return { scale, range, levels: contourLevels(range, LEVELS, scale) };
}

/** The lowest and the highest loss. @param {Heights} heights */
export const lossesOf = ({ range, scale }) => range.map((height) => shortNumber(lossOf(height, scale), 3));

/** Bands between the lines, the lowest first, each with its colour. @param {Heights} heights @param {boolean} dark */
export function bandsOf({ range: [lo, hi], levels }, dark) {
  const bounds = [lo, ...levels, hi];
  const share = (/** @type {number} */ height) => (hi > lo ? (height - lo) / (hi - lo) : 0.5);
  return bounds.slice(0, -1).map((from, at) => ({
    from,
    to: bounds[at + 1],
    colour: colourOf("viridis", share((from + bounds[at + 1]) / 2), "area", dark),
  }));
}

/** Contours are expensive: they are cached with the reply.
 * @type {WeakMap<Reply, {key: string, paths: ReturnType<typeof contourPaths>}>} */
const cache = new WeakMap();

/** @param {Reply} reply @param {Heights} heights @param {import("../charts/landscape/map.js").Frame} frame */
function pathsOf(reply, heights, frame) {
  const key = JSON.stringify([heights, frame]);
  const cached = cache.get(reply);
  if (cached?.key === key) return cached.paths;
  const few = decimate(gridOf(surfaceOf(reply), heights.scale), MOST);
  const longest = Math.max(few.x.length, few.y.length) - 1;
  const grid = Math.min(few.x.length, few.y.length) > 1 ? refine(few, Math.ceil(FINE / Math.max(1, longest))) : few;
  const paths = contourPaths(grid, heights.levels, frame, () => Infinity, []);
  cache.set(reply, { key, paths });
  return paths;
}

/** @param {Reply} reply @param {Heights} heights @param {number} width
 * @param {number} height of the view box; the picture scales to its container */
export function landscapePicture(reply, heights, width, height) {
  const frame = { left: 0, top: 0, width, height, x: extentOf(numbersOf(reply.x)), y: extentOf(numbersOf(reply.y)) };
  const { known: whole, areas, contours } = pathsOf(reply, heights, frame);
  const bands = bandsOf(heights, theme.value === "dark");
  const colourAbove = (/** @type {number} */ level) =>
    bands.find(({ from }) => from === level)?.colour ?? bands[0].colour;
  return svg`<svg class="landscape-picture" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img"
    aria-label=${t("run.landscape", {
      tag: reply.tag,
    })} data-tag=${reply.tag} data-levels=${heights.levels.length} data-scale=${heights.scale}>
    <path d=${whole} fill=${bands[0].colour} />
    ${areas.map(({ level, path }) => svg`<path d=${path} fill=${colourAbove(level)} />`)}
    ${contours.map(({ path }) => svg`<path class="line" d=${path} />`)}
    ${course(reply, frame)}
    ${reply.convergence_point ? end(frame, numbersOf(reply.convergence_point)) : nothing}
  </svg>`;
}

/** @param {Reply} reply @param {import("../charts/landscape/map.js").Frame} frame */
function course({ path }, frame) {
  if (!path?.x.length) return nothing;
  const [xs, ys] = [numbersOf(path.x), numbersOf(path.y)];
  const points = Array.from(xs, (x, at) => `${toLeft(frame, x).toFixed(1)} ${toTop(frame, ys[at]).toFixed(1)}`);
  return svg`<path class="course under" d=${`M${points.join("L")}`} data-points=${points.length} /><path class="course"
    d=${`M${points.join("L")}`} />`;
}

/** @param {import("../charts/landscape/map.js").Frame} frame @param {ArrayLike<number>} point */
const end = (frame, point) =>
  svg`<path class="end" d=${`M${toLeft(frame, point[0]).toFixed(1)} ${toTop(frame, point[1]).toFixed(1)}h0`} />`;
