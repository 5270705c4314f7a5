// The canvas with all lines of a chart, and a second one on which one line stands out.

import { linePath, trianglesPath } from "./paths.js";
import { dashOf, tokens } from "./tokens.js";

/** @typedef {import("./plot.js").Line} Line */
/** @typedef {import("./plot.js").Projection} Projection */

/** Points that can be drawn in one frame without holding up the page. */
const POINTS_AT_ONCE = 4000;

/** Draws apart from the axes, so that one line can stand out without drawing the others again:
 * their canvas only fades, which costs the compositor and not the page. */
export class LinesLayer {
  /** @param {HTMLElement} plotArea */
  constructor(plotArea) {
    this.all = document.createElement("canvas");
    this.all.className = "lines";
    /** Where many lines are drawn before they are shown. */
    this.hidden = document.createElement("canvas");
    this.hidden.className = "lines";
    this.frame = 0;
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

  /** Few points are drawn at once; many a part a frame on a hidden canvas, which then takes the place of the old one.
   * @param {Line[]} lines @param {Projection} to */
  draw(lines, to) {
    cancelAnimationFrame(this.frame);
    this.to = to;
    this.drawn = new Map(lines.map((line) => [line.run, { line, ...linePath(line.xs, line.ys, to) }]));
    const points = lines.reduce((sum, { xs, raw }) => sum + xs.length * (raw ? 2 : 1), 0);
    const canvas = points <= POINTS_AT_ONCE ? this.all : this.hidden;
    fit(canvas, to);
    this.drawPart(canvas, lines, 0);
    this.drawOne();
  }

  /** @param {HTMLCanvasElement} canvas @param {Line[]} lines @param {number} first */
  drawPart(canvas, lines, first) {
    const to = /** @type {Projection} */ (this.to);
    const context = contextOf(canvas);
    const { palette } = tokens();
    let next = first;
    for (let points = 0; next < lines.length && points < POINTS_AT_ONCE; next++) {
      const line = lines[next];
      const colour = palette[line.style.colour];
      const paths = this.drawn.get(line.run);
      if (line.raw) strokeRaw(context, linePath(line.xs, line.raw, to), colour, to);
      if (paths) strokeLine(context, paths.path, paths.dots, line, colour, 1.5, to);
      points += line.xs.length * (line.raw ? 2 : 1);
    }
    if (next < lines.length) this.frame = requestAnimationFrame(() => this.drawPart(canvas, lines, next));
    else this.finish(canvas, lines, to);
  }

  /** @param {HTMLCanvasElement} canvas @param {Line[]} lines @param {Projection} to */
  finish(canvas, lines, to) {
    strokeTriangles(contextOf(canvas), lines, to);
    if (canvas === this.all) return;
    this.hidden = this.all;
    this.all.replaceWith(canvas);
    this.all = canvas;
    this.drawOne();
  }

  stop() {
    cancelAnimationFrame(this.frame);
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

/** CSS pixels the canvas reaches beyond the plot area, so that a dot at its edge is whole. */
const MARGIN = 4;

/** Empties the canvas, and puts its origin at the corner of the plot area.
 * @param {HTMLCanvasElement} canvas @param {Projection} to */
function fit(canvas, { width, height, pixelRatio }) {
  const margin = Math.round(MARGIN * pixelRatio);
  const [wide, high] = [width + 2 * margin, height + 2 * margin];
  const context = contextOf(canvas);
  if (canvas.width === wide && canvas.height === high) {
    context.clearRect(-margin, -margin, wide, high);
    return;
  }
  canvas.width = wide;
  canvas.height = high;
  context.translate(margin, margin);
  Object.assign(canvas.style, {
    left: `${-margin / pixelRatio}px`,
    top: `${-margin / pixelRatio}px`,
    width: `${wide / pixelRatio}px`,
    height: `${high / pixelRatio}px`,
  });
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

/** @param {CanvasRenderingContext2D} context @param {Line[]} lines @param {Projection} to */
function strokeTriangles(context, lines, to) {
  context.setLineDash([]);
  context.lineWidth = 1.2 * to.pixelRatio;
  context.strokeStyle = tokens().damage;
  for (const line of lines) {
    const triangles = trianglesPath(line.xs, line.series.value, to);
    if (triangles) context.stroke(triangles);
  }
}

/** @param {CanvasRenderingContext2D} context @param {{path: Path2D, dots: Path2D}} paths @param {string} colour @param {Projection} to */
function strokeRaw(context, paths, colour, to) {
  context.globalAlpha = 0.25;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = to.pixelRatio;
  context.lineJoin = "bevel";
  context.setLineDash([]);
  context.stroke(paths.path);
  context.fill(paths.dots);
  context.globalAlpha = 1;
}
