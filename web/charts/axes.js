// The axes of a line chart: their ticks, the room that labels need, and how they are drawn.

import { columnsOf, sideOf } from "./plot.js";
import { tokens } from "./theme.js";
import { areWhole, axisTicks, containsCounts, labelWidth, shareOf } from "./ticks.js";

/** @typedef {import("./plot.js").Plot} Plot */
/** @typedef {import("./plot.js").Heights} Heights */
/** @typedef {import("./plot.js").Side} Side */
/** @typedef {import("./ticks.js").Ticks} Ticks */

/** @typedef {object} Axes
 * @property {Ticks} x
 * @property {Record<Side, Ticks | null>} y null = the plot has no such axis
 * @property {[top: number, right: number, bottom: number, left: number]} margins in CSS pixels */

const FONT_FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
const FONT = 11;
const TOP = 8;
const BOTTOM = 24;
/** Beside a plot without an axis there: half a label. */
const BARE = 16;
const NARROWEST = 40;
const BESIDE_LABEL = 12;
const TICK = 4;

/** @param {Plot} plot @param {Heights} heights @param {number} width of the chart @param {number} height @returns {Axes} */
export function axesOf(plot, heights, width, height) {
  const { axis, log, logX = false, x } = plot;
  const room = { length: Math.max(1, height - TOP - BOTTOM), isVertical: true, log };
  const ticksOn = (/** @type {Side} */ side) => {
    const window = heights[side] ?? (side === "left" && !heights.right ? EMPTY : null);
    return (
      window &&
      axisTicks("value", window, { ...room, isWhole: !log && containsCounts(window) && areCounts(plot, side) })
    );
  };
  const y = { left: ticksOn("left"), right: ticksOn("right") };
  const [left, right] = [widthOf(y.left), widthOf(y.right)];
  const length = Math.max(1, width - left - right);
  return { x: axisTicks(axis, x, { length, log: logX }), y, margins: [TOP, right, BOTTOM, left] };
}

/** @type {import("./plot.js").Window} */
const EMPTY = [0, 1];

/** Are all values on an axis whole numbers? @param {Plot} plot @param {Side} side */
const areCounts = ({ lines, y }, side) =>
  areWhole(lines.flatMap((line) => (sideOf(line) === side || !y ? columnsOf(line) : [])));

/** @param {Ticks | null} ticks */
const widthOf = (ticks) =>
  ticks ? Math.max(NARROWEST, BESIDE_LABEL + Math.max(0, ...ticks.labels.map(labelWidth))) : BARE;

/** Draws grid lines, ticks, labels and offsets.
 * @param {CanvasRenderingContext2D} context @param {Axes} axes @param {Plot} plot @param {Heights} heights
 * @param {{left: number, top: number, width: number, height: number}} area in canvas pixels @param {number} ratio of
 * canvas pixels to CSS pixels */
export function drawAxes(context, { x, y }, plot, heights, area, ratio) {
  context.save();
  context.font = `${FONT * ratio}px ${FONT_FAMILY}`;
  context.lineWidth = Math.max(1, Math.round(ratio));
  for (const side of /** @type {Side[]} */ (["left", "right"])) {
    const ticks = y[side];
    if (ticks)
      drawY(context, ticks, side, heights[side] ?? EMPTY, plot.log, !(side === "right" && y.left), area, ratio);
  }
  drawX(context, x, plot, area, ratio); // Its offset is over the grid.
  context.restore();
}

/** @param {CanvasRenderingContext2D} context @param {Ticks} ticks @param {Plot} plot
 * @param {{left: number, top: number, width: number, height: number}} area @param {number} ratio */
function drawX(context, { ticks, labels, offset }, { x, logX = false }, { left, top, width, height }, ratio) {
  const { grid, label } = tokens();
  const bottom = top + height;
  context.textAlign = "center";
  context.textBaseline = "top";
  context.strokeStyle = grid;
  context.fillStyle = label;
  ticks.forEach((tick, at) => {
    const place = left + width * shareOf(tick, x, logX);
    line(context, [place, bottom], [place, bottom + TICK * ratio]);
    const half = context.measureText(labels[at]).width / 2;
    const end = left + width + BARE * ratio;
    context.fillText(labels[at], Math.min(place, end - half), bottom + (TICK + 3) * ratio);
  });
  context.textAlign = "right";
  context.textBaseline = "bottom";
  drawOffset(context, offset, left + width, bottom - 3 * ratio, ratio);
}

/** @param {CanvasRenderingContext2D} context @param {Ticks} ticks @param {Side} side
 * @param {import("./plot.js").Window} window @param {boolean} log @param {boolean} hasGrid
 * @param {{left: number, top: number, width: number, height: number}} area @param {number} ratio */
function drawY(context, { ticks, labels, offset }, side, window, log, hasGrid, { left, top, width, height }, ratio) {
  const { grid, label } = tokens();
  const isLeft = side === "left";
  context.strokeStyle = grid;
  context.fillStyle = label;
  context.textBaseline = "middle";
  context.textAlign = isLeft ? "right" : "left";
  ticks.forEach((tick, at) => {
    const place = top + height * (1 - shareOf(tick, window, log));
    if (hasGrid) line(context, [left, place], [left + width, place]);
    context.fillText(labels[at], isLeft ? left - 6 * ratio : left + width + 6 * ratio, place);
  });
  context.textBaseline = "top";
  context.textAlign = isLeft ? "left" : "right";
  drawOffset(context, offset, isLeft ? left + 4 * ratio : left + width - 4 * ratio, top, ratio);
}

/** What labels are beyond, with a margin that interrupts the grid. @param {CanvasRenderingContext2D} context
 * @param {string} offset @param {number} x @param {number} y @param {number} ratio */
function drawOffset(context, offset, x, y, ratio) {
  const lineWidth = context.lineWidth;
  context.strokeStyle = tokens().surface;
  context.lineWidth = 4 * ratio;
  context.strokeText(offset, x, y);
  context.fillText(offset, x, y);
  context.lineWidth = lineWidth;
}

/** Draws a line, aligned to pixels. @param {CanvasRenderingContext2D} context @param {[number, number]} from
 * @param {[number, number]} to */
function line(context, from, to) {
  const odd = (context.lineWidth % 2) / 2;
  context.beginPath();
  context.moveTo(Math.round(from[0]) + odd, Math.round(from[1]) + odd);
  context.lineTo(Math.round(to[0]) + odd, Math.round(to[1]) + odd);
  context.stroke();
}
