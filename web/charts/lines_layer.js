// The canvas with all lines of a chart, and a second one on which one line stands out.

import { linePath, trianglesPath } from "./paths.js";
import { dashOf, tokens } from "./tokens.js";

/** @typedef {import("./plot.js").Line} Line */
/** @typedef {import("./plot.js").Projection} Projection */

/** Draws apart from the axes, so that one line can stand out without drawing the others again:
 * their canvas only fades, which costs the compositor and not the page. */
export class LinesLayer {
  /** @param {HTMLElement} plotArea */
  constructor(plotArea) {
    this.all = document.createElement("canvas");
    this.all.className = "lines";
    this.one = document.createElement("canvas");
    this.one.className = "lines one";
    this.dot = document.createElement("div");
    this.dot.className = "dot";
    plotArea.prepend(this.all, this.one, this.dot);
    /** @type {Map<string, {line: Line, path: Path2D, dots: Path2D}>} */
    this.drawn = new Map();
    /** @type {string | null} */
    this.standingOut = null;
    /** @type {Projection | null} */
    this.to = null;
  }

  /** @param {Line[]} lines @param {Projection} to */
  draw(lines, to) {
    this.to = to;
    fit(this.all, to);
    const context = contextOf(this.all);
    const { palette, damage } = tokens();
    this.drawn.clear();
    for (const line of lines) {
      const { line: path, dots } = linePath(line.xs, line.ys, to);
      this.drawn.set(line.run, { line, path, dots });
      const colour = palette[line.style.colour];
      if (line.raw) strokeRaw(context, linePath(line.xs, line.raw, to), colour, to);
      strokeLine(context, path, dots, line, colour, 1.5, to);
    }
    context.setLineDash([]);
    context.lineWidth = 1.2 * to.pixelRatio;
    context.strokeStyle = damage;
    for (const line of lines) {
      const triangles = trianglesPath(line.xs, line.series.value, to);
      if (triangles) context.stroke(triangles);
    }
    this.drawOne();
  }

  /** @param {string | null} run */
  standOut(run) {
    if (run === this.standingOut) return;
    this.standingOut = run;
    this.drawOne();
  }

  drawOne() {
    const chosen = this.standingOut === null ? undefined : this.drawn.get(this.standingOut);
    this.all.classList.toggle("faded", chosen !== undefined);
    this.one.hidden = chosen === undefined;
    if (!chosen || !this.to) return;
    fit(this.one, this.to);
    strokeLine(contextOf(this.one), chosen.path, chosen.dots, chosen.line, tokens().palette[chosen.line.style.colour], 2.5, this.to);
  }

  /** Marks one point of the line that stands out; null = none.
   * @param {{x: number, y: number} | null} point */
  mark(point) {
    const to = this.to;
    const chosen = this.standingOut === null ? undefined : this.drawn.get(this.standingOut);
    const top = point && to ? to.top(point.y) : NaN;
    this.dot.hidden = !point || !chosen || !Number.isFinite(top);
    if (!point || !to || !chosen || this.dot.hidden) return;
    this.dot.style.background = tokens().palette[chosen.line.style.colour];
    this.dot.style.transform = `translate(${to.left(point.x) / to.pixelRatio}px, ${top / to.pixelRatio}px)`;
  }
}

/** @param {HTMLCanvasElement} canvas @param {Projection} to */
function fit(canvas, { width, height, pixelRatio }) {
  if (canvas.width === width && canvas.height === height) return contextOf(canvas).clearRect(0, 0, width, height);
  canvas.width = width;
  canvas.height = height;
  canvas.style.width = `${width / pixelRatio}px`;
  canvas.style.height = `${height / pixelRatio}px`;
}

/** @param {HTMLCanvasElement} canvas */
const contextOf = (canvas) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

/** @param {CanvasRenderingContext2D} context @param {Path2D} path @param {Path2D} dots @param {Line} line
 * @param {string} colour @param {number} width @param {Projection} to */
function strokeLine(context, path, dots, line, colour, width, to) {
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = width * to.pixelRatio;
  context.lineJoin = "bevel";
  context.setLineDash(dashOf(line.style, to.pixelRatio));
  context.stroke(path);
  context.fill(dots);
}

/** @param {CanvasRenderingContext2D} context @param {{line: Path2D, dots: Path2D}} paths @param {string} colour @param {Projection} to */
function strokeRaw(context, paths, colour, to) {
  context.globalAlpha = 0.25;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = to.pixelRatio;
  context.lineJoin = "bevel";
  context.setLineDash([]);
  context.stroke(paths.line);
  context.fill(paths.dots);
  context.globalAlpha = 1;
}
