// What the surface shows of a landscape, in words and numbers that its library draws.

import { tokens } from "../../charts/tokens.js";
import { evened, heightAt, heightOf, lossOf } from "../../lib/landscape_grid.js";
import { t } from "../../state/words.js";
import { axisNames } from "./map.js";
import { lossText } from "./model.js";
import { checkpointText } from "./tells.js";

/** @typedef {import("./model.js").Model} Model */

const SHADES = 33;
const TICKS = 7;
/** What lies on the surface is a little above it, so that it is seen; as a part of all heights. */
const LIFT = 0.02;
/** Points of the path between two checkpoints, and of all of it. */
const BETWEEN = 16;
const MOST_POINTS = 4000;

/** @param {Model} model @param {string} pathColour @returns {import("../../charts/landscape_surface.js").Scene} */
export function sceneOf({ landscape, drawn, heights }, pathColour) {
  const { scale, reach, levels, area } = heights;
  const ink = tokens();
  const { path, convergence } = landscape;
  const lift = (reach[1] - reach[0]) * LIFT;
  const at = (/** @type {number} */ loss) => heightOf(loss, scale) + lift;
  const every = Math.max(1, Math.ceil(levels.length / TICKS));
  const last = path ? path.x.length - 1 : -1;
  return {
    // Between points of uneven distance plotly.js makes up very many more.
    grid: evened(drawn), reach, levels, ink, pathColour,
    shades: Array.from({ length: SHADES }, (_, shade) => area(reach[0] + ((reach[1] - reach[0]) * shade) / (SHADES - 1))),
    ticks: levels.filter((_, place) => place % every === 0).map((height) => ({ height, text: lossText(height, scale) })),
    lossOf: (height) => lossOf(height, scale),
    lossText: t("land.read_loss", { loss: "{loss}" }),
    path: path && last >= 0 ? { x: path.x, y: path.y, heights: Array.from(path.z, at), texts: Array.from(path.x, (_, place) => checkpointText(landscape, place, "<br>")), line: draped(path, drawn, at, lift) } : null,
    marks: [
      ...(path && last >= 0 ? [
        { x: path.x[0], y: path.y[0], height: at(path.z[0]), text: t("land.start"), colour: pathColour, symbol: "circle" },
        { x: path.x[last], y: path.y[last], height: at(path.z[last]), text: t("land.end"), colour: pathColour, symbol: "square" },
      ] : []),
      ...(convergence ? [{ x: convergence[0], y: convergence[1], height: at(convergence[2]), text: path && last >= 0 ? "" : t("land.converged"), colour: ink.text, symbol: "diamond" }] : []),
    ],
    names: /** @type {[string, string, string]} */ ([...axisNames(landscape), t(scale === "log" ? "land.loss_log" : "land.loss")]),
  };
}

/** The path over the surface: straight on the map, and never under what lies between two checkpoints.
 * @param {import("../../lib/landscape_path.js").Path} path @param {import("../../lib/landscape_grid.js").Grid} grid @param {(loss: number) => number} at @param {number} lift */
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
      const [across, down] = [x[place] + (x[place + 1] - x[place]) * share, y[place] + (y[place + 1] - y[place]) * share];
      const straight = at(z[place]) + (at(z[place + 1]) - at(z[place])) * share;
      line.x.push(across);
      line.y.push(down);
      line.heights.push(Number.isNaN(heightAt(grid, across, down)) ? straight : heightAt(grid, across, down) + lift);
    }
  }
  return line;
}

/** Where the head of the training stands: over the surface, or over its checkpoint where the surface is unknown.
 * @param {Model} model @param {{x: number, y: number, z: number, isBetween: boolean}} point */
export function heightOver({ drawn, heights: { scale, reach } }, { x, y, z, isBetween }) {
  const over = isBetween ? heightAt(drawn, x, y) : NaN;
  return (Number.isNaN(over) ? heightOf(z, scale) : over) + (reach[1] - reach[0]) * LIFT;
}
