// Slice charts as SVG: lines, error bands, ticks.

import { nothing, svg } from "lit-html";
import { heightOf } from "../../../charts/landscape/grid.js";
import { contourLevels } from "../../../charts/landscape/levels.js";
import { toLeft, toTop } from "../../../charts/landscape/map.js";
import { axisTicks } from "../../../charts/ticks.js";

/** @typedef {import("../../../charts/landscape/map.js").Frame} Frame */
/** @typedef {import("../model/slices.js").Slice} Slice */

/** @typedef {{slice: Slice, colour: string, dash: string, name: string, width?: number, hasDots?: boolean}} Line */

const MARGIN = { left: 50, right: 8, top: 6, bottom: 18 };
const TICKS = 3;

/** @param {{width: number, height: number}} size @param {readonly [number, number]} x
 * @param {readonly [number, number]} losses @param {import("../../../charts/landscape/grid.js").HeightScale} scale
 * @returns {Frame} */
export function sliceFrame({ width, height }, x, losses, scale) {
  const [lo, hi] = losses.map((loss) => heightOf(scale === "log" ? Math.max(loss, Number.MIN_VALUE) : loss, scale));
  const padding = (hi - lo) * 0.06 || Math.abs(hi) * 0.1 || 0.5;
  return {
    left: MARGIN.left,
    top: MARGIN.top,
    width: Math.max(40, width - MARGIN.left - MARGIN.right),
    height: Math.max(20, height - MARGIN.top - MARGIN.bottom),
    x: x[0] === x[1] ? [x[0] - 0.5, x[1] + 0.5] : x,
    y: [lo - padding, hi + padding],
  };
}

/** @param {Line[]} lines @param {Frame} frame @param {{width: number, height: number}} size
 * @param {import("../../../charts/landscape/grid.js").HeightScale} scale @param {number | null} cursor
 * @param {(height: number) => string} lossText
 * @param {{label: string, grid: string, text: string, surface: string}} themeColours
 * @param {string} id of the clip path */
export function sliceChart(lines, frame, { width, height }, scale, cursor, lossText, themeColours, id) {
  const { ticks: xTicks, labels } = axisTicks("value", frame.x, { length: frame.width });
  const yTicks = contourLevels(frame.y, TICKS, scale);
  const bottom = frame.top + frame.height;
  const isInside = cursor !== null && cursor >= Math.min(...frame.x) && cursor <= Math.max(...frame.x);
  return svg`<svg width=${width} height=${height} viewBox="0 0 ${width} ${height}" font-size="10" aria-hidden="true">
    <defs><clipPath id=${id}><rect x=${frame.left} y=${frame.top} width=${frame.width}
      height=${frame.height}></rect></clipPath></defs>
    <g fill=${themeColours.label}>
      ${yTicks.map(
        (level) =>
          svg`<path d="M${frame.left} ${toTop(frame, level).toFixed(1)}h${frame.width}"
            stroke=${themeColours.grid}></path><text
            x=${frame.left - 5} y=${toTop(frame, level).toFixed(1)} dy="3.4"
            text-anchor="end">${lossText(level)}</text>`,
      )}
      ${xTicks.map(
        (tick, at) =>
          svg`<path d="M${toLeft(frame, tick).toFixed(1)} ${bottom}v3" stroke=${themeColours.label}
            stroke-opacity="0.5"></path><text x=${toLeft(frame, tick).toFixed(1)} y=${bottom + 13}
            text-anchor="middle">${labels[at]}</text>`,
      )}
    </g>
    <g clip-path="url(#${id})">
      ${
        isInside
          ? svg`<path class="at" d="M${toLeft(frame, /** @type {number} */ (cursor)).toFixed(1)} ${frame.top}V${bottom}"
            stroke=${themeColours.label} stroke-dasharray="2 2"></path>`
          : nothing
      }
      ${lines.map(
        ({ slice, colour }) =>
          svg`<path class="band" d=${bandOf(slice, frame, scale)} fill=${colour} fill-opacity="0.22"></path>`,
      )}
      ${lines.map(
        ({
          slice,
          colour,
          dash,
          name,
          width: strokeWidth = 1.8,
          hasDots = false,
        }) => svg`<path class="line" data-line=${name} d=${lineOf(slice, frame, scale)} fill="none" stroke=${colour}
          stroke-width=${strokeWidth} stroke-dasharray=${dash} stroke-linejoin="round"></path>
        ${
          hasDots
            ? svg`<path d=${dotsOf(slice, frame, scale)} fill="none" stroke=${colour} stroke-width="4.5"
              stroke-linecap="round"></path>`
            : nothing
        }`,
      )}
    </g>
    <path d="M${frame.left} ${frame.top}V${bottom}H${frame.left + frame.width}" fill="none"
      stroke=${themeColours.grid}></path>
  </svg>`;
}

/** A point as SVG coordinates; null if the loss has no height. @param {Frame} frame @param {number} at
 * @param {number} loss
 * @param {import("../../../charts/landscape/grid.js").HeightScale} scale */
function pointOf(frame, at, loss, scale) {
  const height = heightOf(loss, scale);
  return Number.isNaN(height) ? null : `${toLeft(frame, at).toFixed(1)} ${toTop(frame, height).toFixed(1)}`;
}

/** @param {Slice} slice @param {Frame} frame @param {import("../../../charts/landscape/grid.js").HeightScale} scale */
function lineOf({ at, losses }, frame, scale) {
  let path = "";
  let isOpen = false;
  for (let place = 0; place < at.length; place++) {
    const point = pointOf(frame, at[place], losses[place], scale);
    if (point) path += `${isOpen ? "L" : "M"}${point}`;
    isOpen = point !== null;
  }
  return path;
}

/** @param {Slice} slice @param {Frame} frame @param {import("../../../charts/landscape/grid.js").HeightScale} scale */
const dotsOf = ({ at, losses }, frame, scale) =>
  Array.from(at, (one, place) => pointOf(frame, one, losses[place], scale))
    .map((point) => (point ? `M${point}h0` : ""))
    .join("");

/** The band of one standard error to either side, where it is known. @param {Slice} slice @param {Frame} frame
 * @param {import("../../../charts/landscape/grid.js").HeightScale} scale */
function bandOf({ at, losses, errors }, frame, scale) {
  const lowest = scale === "log" ? 10 ** frame.y[0] : frame.y[0];
  /** @type {Array<{upper: string, lower: string}>} */
  let band = [];
  let path = "";
  const close = () => {
    if (band.length > 1)
      path += `M${band.map(({ upper }) => upper).join("L")}L${band
        .toReversed()
        .map(({ lower }) => lower)
        .join("L")}Z`;
    band = [];
  };
  for (let place = 0; place < at.length; place++) {
    const upper = errors[place] >= 0 ? pointOf(frame, at[place], losses[place] + errors[place], scale) : null;
    const lower = upper && pointOf(frame, at[place], Math.max(lowest, losses[place] - errors[place]), scale);
    if (upper && lower) band.push({ upper, lower });
    else close();
  }
  close();
  return path;
}
