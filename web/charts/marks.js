// Marks on a chart: thresholds with the values beyond them, flags on best values.

import { flagPaths, pointersPath } from "./paths.js";
import { colourOf, tokens } from "./theme.js";

/** @typedef {import("./plot.js").Line} Line */
/** @typedef {import("./plot.js").Projection} Projection */
/** @typedef {import("../data/series/scalar_view.js").Limit} Limit */

/** Draws a dashed line at each threshold, shades the area beyond it, and gives lines there a glow.
 * @param {CanvasRenderingContext2D} context @param {readonly Limit[]} limits
 * @param {Array<{line: Line, path: Path2D}>} drawn @param {Projection} to */
export function drawLimits(context, limits, drawn, to) {
  for (const { above, value } of limits) {
    const at = to.top(value);
    if (!Number.isFinite(at)) continue;
    const edge = Math.min(Math.max(at, 0), to.height);
    const [top, height] = above ? [0, edge] : [edge, to.height - edge];
    context.save();
    context.beginPath();
    context.rect(0, top, to.width, height);
    context.clip();
    context.fillStyle = context.strokeStyle = tokens().warning;
    context.globalAlpha = 0.07;
    context.fillRect(0, top, to.width, height);
    context.globalAlpha = 0.4;
    context.lineWidth = 6 * to.pixelRatio;
    context.lineJoin = "round";
    context.setLineDash([]);
    for (const { path } of drawn) context.stroke(path);
    context.restore();
    strokeLimit(context, at, to);
  }
}

/** @param {CanvasRenderingContext2D} context @param {number} at @param {Projection} to */
function strokeLimit(context, at, to) {
  context.strokeStyle = tokens().warning;
  context.lineWidth = to.pixelRatio;
  context.setLineDash([5 * to.pixelRatio, 4 * to.pixelRatio]);
  context.beginPath();
  context.moveTo(0, at);
  context.lineTo(to.width, at);
  context.stroke();
}

/** Marks the spikes beyond the y range at its edges.
 * @param {CanvasRenderingContext2D} context @param {readonly import("./clipped.js").Clipped[]} clipped
 * @param {(line: Line) => Projection} on */
export function drawClipped(context, clipped, on) {
  for (const { line, above, below } of clipped) {
    const to = on(line);
    context.fillStyle = colourOf(line);
    context.fill(pointersPath(above, true, to));
    context.fill(pointersPath(below, false, to));
  }
}

/** @param {CanvasRenderingContext2D} context @param {Line[]} lines @param {(line: Line) => Projection} on */
export function drawFlags(context, lines, on) {
  const { palette, surface } = tokens();
  context.setLineDash([]);
  context.lineJoin = "round";
  for (const line of lines) {
    const to = on(line);
    const paths = line.flag ? flagPaths(line.flag, to) : null;
    if (!paths) continue;
    context.strokeStyle = surface;
    context.lineWidth = 3.5 * to.pixelRatio;
    context.stroke(paths.pole);
    context.stroke(paths.pennant);
    context.strokeStyle = context.fillStyle = palette[line.style.colour];
    context.lineWidth = 1.2 * to.pixelRatio;
    context.stroke(paths.pole);
    context.fill(paths.pennant);
  }
}
