// The 3D scene of a landscape: surface, paths, points and labels, as input of the renderer.

import { heightAt, heightOf, lossOf, resampleEvenly } from "../../../charts/landscape/grid.js";
import { tokens } from "../../../charts/theme.js";
import { checkpointText } from "../captions.js";
import { lossText, topText } from "../model/drawing.js";
import { endName } from "../panes.js";
import { t } from "../words.js";
import { axisNames } from "./map.js";
import { fillingOf } from "./map_path.js";

/** @typedef {import("../model/drawing.js").Model} Model */
/** @typedef {import("../model/drawing.js").Heights} Heights */
/** @typedef {import("../panes.js").Trajectory} Trajectory */
/** @typedef {import("./surface.js").Line} Line */
/** @typedef {import("../model/path.js").Path} Path */

const SHADES = 33;
const TICKS = 7;
/** A tick closer to the top of a clipped scale, relative to the range, is dropped. */
const NEAR_TOP = 0.06;
/** Distance above the surface, relative to the range, at which lines on it are drawn so that they stay visible. */
const LIFT = 0.02;
/** Maximum number of path points per checkpoint, and in total. */
const BETWEEN = 16;
const MAX_POINTS = 4000;

/** @param {Model} model @param {Trajectory[]} trajectories
 * @param {boolean} hasColourBar draw a colour bar?
 * @returns {import("./surface.js").Scene} */
export function sceneOf({ landscape, drawn, heights }, trajectories, hasColourBar) {
  const { scale, range, levels, area, isClipped } = heights;
  const themeColours = tokens();
  const lift = (range[1] - range[0]) * LIFT;
  const surface = isClipped ? { ...drawn, heights: drawn.heights.map((height) => onSurface(heights, height)) } : drawn;
  const paths = trajectories.map((trajectory) => pathScene(surface, trajectory, trajectories, heights, lift));
  return {
    // plotly.js inserts a great many points into unevenly spaced grids.
    grid: resampleEvenly(drawn),
    top: isClipped ? range[1] : Infinity,
    range,
    levels,
    themeColours,
    hasColourBar,
    zRange: extendRange(
      range,
      paths.flatMap(({ pointHeights }) => pointHeights),
    ),
    shades: Array.from({ length: SHADES }, (_, shade) =>
      area(range[0] + ((range[1] - range[0]) * shade) / (SHADES - 1)),
    ),
    ticks: ticksOf(heights),
    lossOf: (height) => lossOf(height, scale),
    lossText: t("land.read_loss", { loss: "{loss}" }),
    line: joinLines(paths.flatMap(({ line }) => line)),
    thin: joinLines(paths.flatMap(({ thin }) => thin)),
    points: paths.flatMap(({ points }) => points),
    names: /** @type {[string, string, string]} */ ([
      ...axisNames(landscape),
      t(scale === "log" ? "land.loss_log" : "land.loss"),
    ]),
  };
}

/** The drawn height of a point on the surface, which is cut off at the top of a clipped scale.
 * @param {Heights} heights
 * @param {number} height */
const onSurface = ({ range: [, hi], isClipped }, height) => (isClipped ? Math.min(height, hi) : height);

/** The drawn height of a real loss. Above a clipped surface there is room for the same range again.
 * @param {Heights} heights @param {number} height */
const overSurface = ({ range: [lo, hi], isClipped }, height) => (isClipped ? Math.min(height, 2 * hi - lo) : height);

/** The number of checkpoints whose real losses exceed the room above a clipped surface. @param {Heights} heights
 * @param {Trajectory[]} trajectories */
export const countAboveRoom = (heights, trajectories) =>
  trajectories
    .flatMap(({ landscape: { truth } }) => Array.from(truth?.real ?? [], (loss) => heightOf(loss, heights.scale)))
    .filter((height) => overSurface(heights, height) < height).length;

/** @param {Heights} heights */
function ticksOf(heights) {
  const {
    levels,
    scale,
    range: [lo, hi],
    isClipped,
  } = heights;
  const stride = Math.max(1, Math.ceil(levels.length / TICKS));
  const ticks = levels
    .filter((_, place) => place % stride === 0)
    .map((height) => ({ height, text: lossText(height, scale) }));
  return isClipped
    ? [...ticks.filter(({ height }) => hi - height > (hi - lo) * NEAR_TOP), { height: hi, text: topText(heights) }]
    : ticks;
}

/** One path: at the real losses if known, otherwise just above the surface.
 * @param {import("../../../charts/landscape/grid.js").Grid} surface @param {Trajectory} trajectory
 * @param {Trajectory[]} trajectories
 * @param {Heights} heights @param {number} lift */
function pathScene(surface, trajectory, trajectories, heights, lift) {
  const { landscape, colour } = trajectory;
  const { path, truth, convergence } = landscape;
  const on = (/** @type {number} */ loss) => onSurface(heights, heightOf(loss, heights.scale));
  const over = (/** @type {number} */ loss) => overSurface(heights, heightOf(loss, heights.scale));
  const at = truth ? over : (/** @type {number} */ loss) => on(loss) + lift;
  const themeColours = tokens();
  const name = path?.x.length ? "" : t("land.converged");
  return {
    line: path ? [withColour(truth ? straightLine(path, at) : drapedLine(path, surface, at, lift), colour)] : [],
    thin:
      path && truth
        ? [
            withColour(drapedLine({ ...path, z: truth.plane }, surface, on, lift), colour),
            withColour(verticalLines(path, truth, on, over), colour),
          ]
        : [],
    pointHeights: truth ? [...truth.real.map(over), ...truth.plane.map(on)] : [],
    points: [
      ...checkpoints(trajectory, trajectories, at, themeColours.surface),
      ...(convergence
        ? [
            {
              x: convergence[0],
              y: convergence[1],
              height: at(convergence[2]),
              text: t("land.converged"),
              name,
              fill: themeColours.text,
              edge: themeColours.surface,
              ...STAR,
            },
          ]
        : []),
    ],
  };
}

const DOT = { size: 4, symbol: "circle" };
const SPECK = { size: 1, symbol: "circle" };
const START = { size: 7, symbol: "circle" };
const END = { size: 7, symbol: "square" };
const STAR = { size: 8, symbol: "diamond" };
/** Paths with more checkpoints are drawn with specks instead of dots. */
const MAX_DOTS = 400;

/** Points for the checkpoints; the first and the last are marked. @param {Trajectory} trajectory
 * @param {Trajectory[]} trajectories
 * @param {(loss: number) => number} at @param {string} surface @returns {import("./surface.js").Point[]} */
function checkpoints(trajectory, trajectories, at, surface) {
  const { landscape, colour } = trajectory;
  const { path, truth } = landscape;
  if (!path) return [];
  const fillOf = fillingOf(truth?.residual ?? null, surface, colour);
  const last = path.x.length - 1;
  return Array.from(path.x, (x, place) => {
    const isEnd = place === 0 || place === last;
    const marker = place === last ? END : place === 0 ? START : last < MAX_DOTS ? DOT : SPECK;
    const name =
      place === last
        ? endName(trajectory, trajectories)
        : place === 0 && landscape === trajectories[0].landscape
          ? t("land.start")
          : "";
    return {
      x,
      y: path.y[place],
      height: at(path.z[place]),
      text: checkpointText(landscape, place),
      name,
      fill: isEnd ? colour : fillOf(place),
      edge: isEnd ? surface : colour,
      ...marker,
    };
  });
}

/** @param {readonly [number, number]} range @param {number[]} heights @returns {[number, number]} */
function extendRange([lo, hi], heights) {
  const known = heights.filter(Number.isFinite);
  return [Math.min(lo, ...known), Math.max(hi, ...known)];
}

/** A line without colours. @typedef {Omit<Line, "colours">} Course */

/** @param {Path} path @param {(loss: number) => number} at @returns {Course} */
const straightLine = ({ x, y, z }, at) => ({ x: [...x], y: [...y], heights: Array.from(z, at) });

/** @param {Course} course @param {string} colour @returns {Line} */
const withColour = (course, colour) => ({ ...course, colours: course.x.map(() => colour) });

/** Joins lines into one, which is cheaper to draw; null without lines. @param {Line[]} lines @returns {Line | null} */
const joinLines = (lines) =>
  lines.length
    ? lines.reduce((joined, line) => ({
        x: [...joined.x, null, ...line.x],
        y: [...joined.y, null, ...line.y],
        heights: [...joined.heights, null, ...line.heights],
        colours: [...joined.colours, line.colours[0], ...line.colours],
      }))
    : null;

/** Vertical lines from each checkpoint's loss on the plane to its real loss. @param {Path} path
 * @param {import("../model/landscape.js").Truth} truth @param {(loss: number) => number} on
 * @param {(loss: number) => number} over */
const verticalLines = ({ x, y }, { real, plane }, on, over) => ({
  x: Array.from(x).flatMap((left) => [left, left, null]),
  y: Array.from(y).flatMap((up) => [up, up, null]),
  heights: Array.from(real).flatMap((loss, place) => [on(plane[place]), over(loss), null]),
});

/** The path draped over the surface: straight on the map, and never below the surface between two checkpoints.
 * @param {Path} path @param {import("../../../charts/landscape/grid.js").Grid} grid
 * @param {(loss: number) => number} at @param {number} lift */
function drapedLine({ x, y, z }, grid, at, lift) {
  const between = Math.max(1, Math.min(BETWEEN, Math.floor(MAX_POINTS / x.length)));
  /** @type {{x: number[], y: number[], heights: number[]}} */
  const line = { x: [], y: [], heights: [] };
  for (let place = 0; place < x.length; place++) {
    line.x.push(x[place]);
    line.y.push(y[place]);
    line.heights.push(at(z[place]));
    for (let step = 1; step < between && place + 1 < x.length; step++) {
      const share = step / between;
      const [across, down] = [
        x[place] + (x[place + 1] - x[place]) * share,
        y[place] + (y[place + 1] - y[place]) * share,
      ];
      const straightLine = at(z[place]) + (at(z[place + 1]) - at(z[place])) * share;
      line.x.push(across);
      line.y.push(down);
      line.heights.push(
        Number.isNaN(heightAt(grid, across, down)) ? straightLine : heightAt(grid, across, down) + lift,
      );
    }
  }
  return line;
}

/** The drawn height of the surface at a position. @param {Model} model @param {{x: number, y: number}} place */
export const heightUnder = ({ drawn, heights }, { x, y }) => onSurface(heights, heightAt(drawn, x, y));

/** The drawn height of the current position: at the real loss if known, else above the surface, or at its checkpoint
 * where the surface is unknown.
 * @param {Model} model @param {import("../model/landscape.js").Landscape} landscape of the training
 * @param {{x: number, y: number, z: number, isBetween: boolean}} point */
export function heightOver({ drawn, heights }, { truth }, { x, y, z, isBetween }) {
  const { scale, range } = heights;
  if (truth) return overSurface(heights, heightOf(z, scale));
  const over = isBetween ? heightAt(drawn, x, y) : NaN;
  return onSurface(heights, Number.isNaN(over) ? heightOf(z, scale) : over) + (range[1] - range[0]) * LIFT;
}
