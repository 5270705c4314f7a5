// What the surface shows of a landscape, in words and numbers that its library draws.

import { evened, heightAt, heightOf, lossOf } from "../../charts/landscape/grid.js";
import { tokens } from "../../charts/theme.js";
import { checkpointText } from "./captions.js";
import { axisNames } from "./map.js";
import { fillingOf } from "./map_path.js";
import { lossText, topText } from "./model.js";
import { endName } from "./panes.js";
import { t } from "./words.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Heights} Heights */
/** @typedef {import("./panes.js").Walker} Walker */
/** @typedef {import("./draw/surface.js").Line} Line */
/** @typedef {import("./model/path.js").Path} Path */

const SHADES = 33;
const TICKS = 7;
/** Of all heights: as near to the top of a clipped scale there is no room for another tick. */
const NEAR_TOP = 0.06;
/** What lies on the surface is a little above it, so that it is seen; as a part of all heights. */
const LIFT = 0.02;
/** Points of the path between two checkpoints, and of all of it. */
const BETWEEN = 16;
const MOST_POINTS = 4000;

/** @param {Model} model @param {Walker[]} walkers
 * @param {boolean} hasScale does it say itself which loss has which colour?
 * @returns {import("./draw/surface.js").Scene} */
export function sceneOf({ landscape, drawn, heights }, walkers, hasScale) {
  const { scale, reach, levels, area, isClipped } = heights;
  const ink = tokens();
  const lift = (reach[1] - reach[0]) * LIFT;
  const surface = isClipped ? { ...drawn, heights: drawn.heights.map((height) => onSurface(heights, height)) } : drawn;
  const trainings = walkers.map((walker) => trainingOn(surface, walker, walkers, heights, lift));
  return {
    // Between points of uneven distance plotly.js makes up very many more.
    grid: evened(drawn),
    top: isClipped ? reach[1] : Infinity,
    reach,
    levels,
    ink,
    hasScale,
    tall: tallest(
      reach,
      trainings.flatMap(({ stands }) => stands),
    ),
    shades: Array.from({ length: SHADES }, (_, shade) =>
      area(reach[0] + ((reach[1] - reach[0]) * shade) / (SHADES - 1)),
    ),
    ticks: ticksOf(heights),
    lossOf: (height) => lossOf(height, scale),
    lossText: t("land.read_loss", { loss: "{loss}" }),
    line: joined(trainings.flatMap(({ line }) => line)),
    thin: joined(trainings.flatMap(({ thin }) => thin)),
    points: trainings.flatMap(({ points }) => points),
    names: /** @type {[string, string, string]} */ ([
      ...axisNames(landscape),
      t(scale === "log" ? "land.loss_log" : "land.loss"),
    ]),
  };
}

/** Where a height of the surface is drawn: a clipped one ends at the top of the scale. @param {Heights} heights
 * @param {number} height */
const onSurface = ({ reach: [, hi], isClipped }, height) => (isClipped ? Math.min(height, hi) : height);

/** Where the height of a real loss is drawn: over a clipped surface there is room for as much again.
 * @param {Heights} heights @param {number} height */
const overSurface = ({ reach: [lo, hi], isClipped }, height) => (isClipped ? Math.min(height, 2 * hi - lo) : height);

/** Checkpoints for whose real losses there is no room over a clipped surface. @param {Heights} heights
 * @param {Walker[]} walkers */
export const tooHigh = (heights, walkers) =>
  walkers
    .flatMap(({ landscape: { truth } }) => Array.from(truth?.real ?? [], (loss) => heightOf(loss, heights.scale)))
    .filter((height) => overSurface(heights, height) < height).length;

/** @param {Heights} heights */
function ticksOf(heights) {
  const {
    levels,
    scale,
    reach: [lo, hi],
    isClipped,
  } = heights;
  const every = Math.max(1, Math.ceil(levels.length / TICKS));
  const ticks = levels
    .filter((_, place) => place % every === 0)
    .map((height) => ({ height, text: lossText(height, scale) }));
  return isClipped
    ? [...ticks.filter(({ height }) => hi - height > (hi - lo) * NEAR_TOP), { height: hi, text: topText(heights) }]
    : ticks;
}

/** A training over the surface: real losses are drawn where they are, losses on the surface a little above it.
 * @param {import("../../charts/landscape/grid.js").Grid} surface @param {Walker} walker @param {Walker[]} walkers
 * @param {Heights} heights @param {number} lift */
function trainingOn(surface, walker, walkers, heights, lift) {
  const { landscape, colour } = walker;
  const { path, truth, convergence } = landscape;
  const on = (/** @type {number} */ loss) => onSurface(heights, heightOf(loss, heights.scale));
  const over = (/** @type {number} */ loss) => overSurface(heights, heightOf(loss, heights.scale));
  const at = truth ? over : (/** @type {number} */ loss) => on(loss) + lift;
  const ink = tokens();
  const name = path?.x.length ? "" : t("land.converged");
  return {
    line: path ? [coloured(truth ? straight(path, at) : draped(path, surface, at, lift), colour)] : [],
    thin:
      path && truth
        ? [
            coloured(draped({ ...path, z: truth.plane }, surface, on, lift), colour),
            coloured(stemsOf(path, truth, on, over), colour),
          ]
        : [],
    stands: truth ? [...truth.real.map(over), ...truth.plane.map(on)] : [],
    points: [
      ...checkpoints(walker, walkers, at, ink.surface),
      ...(convergence
        ? [
            {
              x: convergence[0],
              y: convergence[1],
              height: at(convergence[2]),
              text: t("land.converged"),
              name,
              fill: ink.text,
              edge: ink.surface,
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
/** Checkpoints up to which each has a dot of its own. */
const MOST_DOTS = 400;

/** The checkpoints, the first and the last of them marked. @param {Walker} walker @param {Walker[]} walkers
 * @param {(loss: number) => number} at @param {string} surface @returns {import("./draw/surface.js").Point[]} */
function checkpoints(walker, walkers, at, surface) {
  const { landscape, colour } = walker;
  const { path, truth } = landscape;
  if (!path) return [];
  const filled = fillingOf(truth?.residual ?? null, surface, colour);
  const last = path.x.length - 1;
  return Array.from(path.x, (x, place) => {
    const isEnd = place === 0 || place === last;
    const form = place === last ? END : place === 0 ? START : last < MOST_DOTS ? DOT : SPECK;
    const name =
      place === last
        ? endName(walker, walkers)
        : place === 0 && landscape === walkers[0].landscape
          ? t("land.start")
          : "";
    return {
      x,
      y: path.y[place],
      height: at(path.z[place]),
      text: checkpointText(landscape, place),
      name,
      fill: isEnd ? colour : filled(place),
      edge: isEnd ? surface : colour,
      ...form,
    };
  });
}

/** @param {readonly [number, number]} reach @param {number[]} heights @returns {[number, number]} */
function tallest([lo, hi], heights) {
  const known = heights.filter(Number.isFinite);
  return [Math.min(lo, ...known), Math.max(hi, ...known)];
}

/** A line without its colour. @typedef {Omit<Line, "colours">} Course */

/** @param {Path} path @param {(loss: number) => number} at @returns {Course} */
const straight = ({ x, y, z }, at) => ({ x: [...x], y: [...y], heights: Array.from(z, at) });

/** @param {Course} course @param {string} colour @returns {Line} */
const coloured = (course, colour) => ({ ...course, colours: course.x.map(() => colour) });

/** Several lines as one, which costs less to draw; null without any. @param {Line[]} lines @returns {Line | null} */
const joined = (lines) =>
  lines.length
    ? lines.reduce((one, other) => ({
        x: [...one.x, null, ...other.x],
        y: [...one.y, null, ...other.y],
        heights: [...one.heights, null, ...other.heights],
        colours: [...one.colours, other.colours[0], ...other.colours],
      }))
    : null;

/** A line from each checkpoint's loss on the plane to its own. @param {Path} path
 * @param {import("./model/landscape.js").Truth} truth @param {(loss: number) => number} on
 * @param {(loss: number) => number} over */
const stemsOf = ({ x, y }, { real, plane }, on, over) => ({
  x: Array.from(x).flatMap((one) => [one, one, null]),
  y: Array.from(y).flatMap((one) => [one, one, null]),
  heights: Array.from(real).flatMap((loss, place) => [on(plane[place]), over(loss), null]),
});

/** The path over the surface: straight on the map, and never under what lies between two checkpoints.
 * @param {Path} path @param {import("../../charts/landscape/grid.js").Grid} grid
 * @param {(loss: number) => number} at @param {number} lift */
function draped({ x, y, z }, grid, at, lift) {
  const between = Math.max(1, Math.min(BETWEEN, Math.floor(MOST_POINTS / x.length)));
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
      const straight = at(z[place]) + (at(z[place + 1]) - at(z[place])) * share;
      line.x.push(across);
      line.y.push(down);
      line.heights.push(Number.isNaN(heightAt(grid, across, down)) ? straight : heightAt(grid, across, down) + lift);
    }
  }
  return line;
}

/** The surface at a place. @param {Model} model @param {{x: number, y: number}} place */
export const heightUnder = ({ drawn, heights }, { x, y }) => onSurface(heights, heightAt(drawn, x, y));

/** Where the head of a training stands: at the real loss when that is known, else over the surface, or over its
 * checkpoint where the surface is unknown.
 * @param {Model} model @param {import("./model/landscape.js").Landscape} landscape of the training
 * @param {{x: number, y: number, z: number, isBetween: boolean}} point */
export function heightOver({ drawn, heights }, { truth }, { x, y, z, isBetween }) {
  const { scale, reach } = heights;
  if (truth) return overSurface(heights, heightOf(z, scale));
  const over = isBetween ? heightAt(drawn, x, y) : NaN;
  return onSurface(heights, Number.isNaN(over) ? heightOf(z, scale) : over) + (reach[1] - reach[0]) * LIFT;
}
