// The canvas with all lines of a chart, and a second canvas with the highlighted lines.

import { envelopeAlpha, envelopeOf } from "./envelope.js";
import { drawClipped, drawFlags, drawLimits } from "./marks.js";
import { bandPath, linePath, trianglesPath } from "./paths.js";
import { edgesOf, keyOf, sideOf } from "./plot.js";
import { colourOf, dashOf, ownColourOf, tokens } from "./theme.js";

/** @typedef {import("./plot.js").Line} Line */
/** @typedef {import("./plot.js").Plot} Plot */
/** @typedef {import("./plot.js").Projection} Projection */
/** @typedef {import("./plot.js").Projections} Projections */

/** A line with its paths; `dash` is empty if the path has gaps instead. Its raw values have an envelope, or paths, or are
 * not drawn.
 * @typedef {{line: Line, path: Path2D, dots: Path2D, dash: number[], envelope: import("./envelope.js").Envelope | null,
 *   raw: ReturnType<typeof linePath> | null}} Placed */

/** Points that can be drawn in one frame without blocking the page. */
const POINTS_AT_ONCE = 20_000;
/** Points of a chart up to which lines are stroked with their full width. Without a GPU, browsers fill the outline of a
 * noisy line 25 times slower than they draw strokes of one pixel: 50 lines of 400 points take 130 ms instead of 5. */
const WIDE_STROKE_POINTS = 4000;

/** Draws separately from the axes, so that a line can be highlighted without drawing the others again: their canvas
 * only fades, which the compositor does. */
export class LinesLayer {
  /** @param {HTMLElement} plotArea */
  constructor(plotArea) {
    this.all = document.createElement("canvas");
    this.all.className = "lines";
    /** Many lines are drawn here before they are shown. */
    this.hidden = document.createElement("canvas");
    this.hidden.className = "lines";
    this.frame = 0;
    this.isCrowded = false;
    this.highlight = document.createElement("canvas");
    this.highlight.className = "lines one";
    this.dot = document.createElement("div");
    this.dot.className = "dot";
    plotArea.prepend(this.all, this.highlight, this.dot);
    /** @type {Map<string, Placed>} */
    this.drawn = new Map();
    /** The highlighted lines: one by its key, or all of a run. @type {{key?: string, run?: string} | null} */
    this.highlighted = null;
    /** @type {Projections | null} */
    this.to = null;
    /** @type {Plot | null} */
    this.plot = null;
  }

  /** Draws few points immediately, and many in parts per frame on a hidden canvas, which then replaces the visible one.
   * @param {Plot} plot @param {Projections} to */
  draw(plot, to) {
    cancelAnimationFrame(this.frame);
    this.to = to;
    this.plot = plot;
    const points = plot.lines.reduce((sum, line) => sum + countOf(line), 0);
    this.isCrowded = points > WIDE_STROKE_POINTS;
    this.drawn = new Map(plot.lines.map((line) => [keyOf(line), this.placed(line)]));
    const canvas = points <= POINTS_AT_ONCE ? this.all : this.hidden;
    fit(canvas, to.left);
    const lines = plot.lines.toSorted((a, b) => Number(b.isContext ?? false) - Number(a.isContext ?? false));
    const alpha = envelopeAlpha(lines.filter(({ isContext }) => !isContext).length);
    for (const placed of this.drawn.values())
      if (!placed.line.isContext) this.fillAreas(contextOf(canvas), placed, colourOf(placed.line), alpha);
    this.drawPart(canvas, lines, 0);
    this.drawHighlight();
  }

  /** @param {HTMLCanvasElement} canvas @param {Line[]} lines @param {number} first */
  drawPart(canvas, lines, first) {
    const context = contextOf(canvas);
    let next = first;
    clip(context, /** @type {Projections} */ (this.to).left);
    for (let points = 0; next < lines.length && points < POINTS_AT_ONCE; next++) {
      const line = lines[next];
      const to = this.projectionOf(line);
      const colour = colourOf(line);
      const placed = this.drawn.get(keyOf(line));
      if (placed?.raw && !line.isContext) strokeRaw(context, placed.raw, colour, to);
      if (placed) (this.isCrowded ? strokeFinely : strokeLine)(context, placed, colour, widthOf(line), to);
      points += countOf(line);
    }
    context.restore();
    if (next < lines.length) this.frame = requestAnimationFrame(() => this.drawPart(canvas, lines, next));
    else this.finish(canvas, lines);
  }

  /** Where points are dense, a browser would draw thousands of dashes: gaps in the path replace them.
   * @param {Line} line @returns {Placed} */
  placed(line) {
    const to = this.projectionOf(line);
    const dash = dashOf(line.style, to.pixelRatio);
    const isDense = this.isCrowded && line.xs.length > to.width / 2;
    const { raw = "band" } = this.plot ?? {};
    const envelope = raw === "band" ? envelopeOf(line, /** @type {Projections} */ (this.to)) : null;
    return {
      line,
      ...linePath(line.xs, line.ys, to, isDense ? dash : []),
      dash: isDense ? [] : dash,
      envelope,
      raw: line.raw && raw !== "off" && !envelope ? linePath(line.xs, line.raw, to) : null,
    };
  }

  /** @param {CanvasRenderingContext2D} context @param {Placed} placed @param {string} colour
   * @param {number} alpha of its envelope */
  fillAreas(context, { line, envelope }, colour, alpha) {
    const to = this.projectionOf(line);
    fillBand(context, line, colour, to);
    if (envelope) fillEnvelope(context, envelope, colour, alpha, to);
  }

  /** @param {Line} line @returns {Projection} */
  projectionOf(line) {
    return /** @type {Projections} */ (this.to)[sideOf(line)];
  }

  /** @param {HTMLCanvasElement} canvas @param {Line[]} lines */
  finish(canvas, lines) {
    const context = contextOf(canvas);
    const { left } = /** @type {Projections} */ (this.to);
    drawLimits(
      context,
      this.plot?.limits ?? [],
      [...this.drawn.values()].filter(({ line }) => sideOf(line) === "left"),
      left,
    );
    drawClipped(context, this.plot?.clipped ?? [], (line) => this.projectionOf(line));
    strokeTriangles(context, lines, (line) => this.projectionOf(line));
    drawFlags(context, lines, (line) => this.projectionOf(line));
    if (canvas === this.all) return;
    this.hidden = this.all;
    this.all.replaceWith(canvas);
    this.all = canvas;
    this.drawHighlight();
  }

  stop() {
    cancelAnimationFrame(this.frame);
  }

  /** Removes its lines. */
  clear() {
    this.stop();
    this.highlighted = null;
    this.drawn.clear();
    this.drawHighlight();
    this.dot.hidden = true;
    if (this.to) fit(this.all, this.to.left);
  }

  /** @param {string | null} run whose lines are highlighted, null = none */
  highlightRun(run) {
    if (run === (this.highlighted?.run ?? null) && !this.highlighted?.key) return;
    this.highlighted = run === null ? null : { run };
    this.drawHighlight();
  }

  /** @param {Line | null} line that is highlighted, null = none */
  highlightLine(line) {
    const key = line ? keyOf(line) : null;
    if (key === (this.highlighted?.key ?? null) && !this.highlighted?.run) return;
    this.highlighted = key === null ? null : { key };
    this.drawHighlight();
  }

  highlightedLines() {
    const { key, run } = this.highlighted ?? {};
    return [...this.drawn.values()].filter(({ line }) =>
      key !== undefined ? keyOf(line) === key : run !== undefined && line.run === run,
    );
  }

  drawHighlight() {
    const lines = this.highlighted ? this.highlightedLines() : [];
    this.all.classList.toggle("faded", lines.length > 0);
    this.highlight.hidden = lines.length === 0;
    if (!lines.length || !this.to) return;
    fit(this.highlight, this.to.left);
    for (const placed of lines)
      this.fillAreas(contextOf(this.highlight), placed, ownColourOf(placed.line), envelopeAlpha(1));
    const context = contextOf(this.highlight);
    clip(context, this.to.left);
    for (const placed of lines)
      strokeLine(context, placed, ownColourOf(placed.line), 2.5, this.projectionOf(placed.line));
    context.restore();
  }

  /** Marks a point of the highlighted line; null = none.
   * @param {{x: number, y: number} | null} point */
  mark(point) {
    const chosen =
      point && this.highlighted?.key !== undefined && this.to ? this.drawn.get(this.highlighted.key) : undefined;
    const to = chosen && this.projectionOf(chosen.line);
    const top = point && to ? to.top(point.y) : NaN;
    this.dot.hidden = !Number.isFinite(top);
    if (!point || !to || this.dot.hidden) return;
    this.dot.style.background = ownColourOf(chosen.line);
    this.dot.style.transform = `translate(${to.left(point.x) / to.pixelRatio}px, ${top / to.pixelRatio}px)`;
  }
}

/** @param {Line} line */
const countOf = ({ xs, raw }) => xs.length * (raw ? 2 : 1);

/** CSS pixels by which the canvas exceeds the plot area, so that dots at the edge are not cut. */
const MARGIN = 4;

/** Clears the canvas, and moves its origin to the corner of the plot area.
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

/** Restricts drawing to the height of the plot area, and half a line, until the context is restored.
 * @param {CanvasRenderingContext2D} context @param {Projection} to */
function clip(context, { width, height, pixelRatio }) {
  const margin = MARGIN * pixelRatio;
  context.save();
  context.beginPath();
  context.rect(-margin, -pixelRatio, width + 2 * margin, height + 2 * pixelRatio);
  context.clip();
}

/** In CSS pixels; a smoothed line is strong. @param {Line} line */
const widthOf = ({ isBaseline, raw }) => (isBaseline ? 1 : raw ? 2 : 1.5);

/** @param {HTMLCanvasElement} canvas */
const contextOf = (canvas) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

/** @param {CanvasRenderingContext2D} context @param {Placed} placed @param {string} colour @param {number} width
 * @param {Projection} to */
function strokeLine(context, { path, dots, dash }, colour, width, to) {
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = width * to.pixelRatio;
  context.lineJoin = "bevel";
  context.setLineDash(dash);
  context.stroke(path);
  context.fill(dots);
}

/** Like strokeLine, by adjacent strokes of one device pixel.
 * @param {CanvasRenderingContext2D} context @param {Placed} placed @param {string} colour @param {number} width
 * @param {Projection} to */
function strokeFinely(context, { path, dots, dash }, colour, width, to) {
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = 1;
  context.setLineDash(dash);
  const strokes = Math.max(1, Math.floor(width * to.pixelRatio));
  for (let stroke = 0; stroke < strokes; stroke++) {
    const offset = stroke - (strokes - 1) / 2;
    context.translate(0, offset);
    context.stroke(path);
    context.translate(0, -offset);
  }
  context.fill(dots);
}

/** @param {CanvasRenderingContext2D} context @param {Line} line @param {string} colour @param {Projection} to */
function fillBand(context, line, colour, to) {
  const edges = edgesOf(line);
  if (!edges) return;
  context.globalAlpha = 0.18;
  context.fillStyle = colour;
  context.fill(bandPath(line.xs, edges.low, edges.high, to));
  context.globalAlpha = 1;
}

/** Aligned to pixels, which browsers fill fastest. Values that have no place, on a logarithmic axis, are at the bottom.
 * @param {CanvasRenderingContext2D} context @param {import("./envelope.js").Envelope} envelope
 * @param {string} colour @param {number} alpha @param {Projection} to */
function fillEnvelope(context, { first, low, high }, colour, alpha, { top, height, width, pixelRatio }) {
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  const edge = (/** @type {number} */ column) => Math.min(Math.round((first + column) * pixelRatio), width);
  const place = (/** @type {number} */ value) => {
    const at = top(value);
    return Number.isFinite(at) ? Math.round(Math.min(Math.max(at, 0), height)) : height;
  };
  for (let column = 0; column < low.length; column++) {
    const [begin, end] = [place(high[column]), place(low[column])];
    const left = edge(column);
    if (end > begin) context.fillRect(left, begin, edge(column + 1) - left, end - begin);
  }
  context.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} context @param {Line[]} lines @param {(line: Line) => Projection} on */
function strokeTriangles(context, lines, on) {
  context.setLineDash([]);
  context.strokeStyle = tokens().damage;
  for (const line of lines) {
    const to = on(line);
    context.lineWidth = 1.2 * to.pixelRatio;
    const triangles = trianglesPath(line.xs, line.series.value, to);
    if (triangles) context.stroke(triangles);
  }
}

/** @param {CanvasRenderingContext2D} context @param {{path: Path2D, dots: Path2D}} paths @param {string} colour
 * @param {Projection} to */
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
