// The contour map of a landscape as a self-contained SVG, which can be downloaded.

import { html, nothing, svg } from "lit-html";
import { contourPaths, extentOf, toLeft, toTop } from "../../../charts/landscape/map.js";
import { tokens } from "../../../charts/theme.js";
import { axisTicks } from "../../../charts/ticks.js";
import { shortNumber } from "../../../i18n/numbers.js";
import { bandsOf, lossText, topText } from "../model/drawing.js";
import { levelOf, nodesOf } from "../model/plane.js";
import { companionsOf } from "../panes.js";
import { t } from "../words.js";
import { marks } from "./map_path.js";

/** @typedef {import("../model/drawing.js").Model} Model */
/** @typedef {import("../model/landscape.js").Landscape} Landscape */
/** @typedef {import("../../../charts/landscape/map.js").Frame} Frame */
/** @typedef {import("../settings.js").Zoom} Zoom */
/** @typedef {import("../panes.js").Trajectory} Trajectory */

const MARGIN = { left: 52, right: 78, top: 10, bottom: 36 };
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif";
const CHARACTER = 6.2;
const BAR = 12;
/** Height of the tip on a clipped colour bar. */
const TIP = 7;

/** @param {Model} model @param {{width: number, height: number}} size @param {Zoom | null} zoom @returns {Frame} */
export function frameOf({ landscape }, { width, height }, zoom) {
  return {
    left: MARGIN.left,
    top: MARGIN.top,
    width: Math.max(40, width - MARGIN.left - MARGIN.right),
    height: Math.max(40, height - MARGIN.top - MARGIN.bottom),
    x: zoom ? [zoom[0], zoom[1]] : extentOf(landscape.x),
    y: zoom ? [zoom[2], zoom[3]] : extentOf(landscape.y),
  };
}

/** Cached paths, by model and frame.
 * @type {WeakMap<Model, {key: string, paths: ReturnType<typeof contourPaths>}>} */
const pathCache = new WeakMap();

/** @param {Model} model @param {Frame} frame @param {Trajectory[]} trajectories */
function pathsOf(model, frame, trajectories) {
  const key = JSON.stringify([
    frame,
    trajectories.map(({ landscape: { run, tag, publication } }) => [run, tag, publication]),
  ]);
  const cached = pathCache.get(model);
  if (cached?.key === key) return cached.paths;
  const { levels, scale, range, isClipped } = model.heights;
  const paths = contourPaths(
    model.drawn,
    isClipped ? [...levels, range[1]] : levels,
    frame,
    (level) => lossText(level, scale).length * CHARACTER,
    trajectories.flatMap(({ landscape }) => pointsAlong(landscape, frame)),
  );
  pathCache.set(model, { key, paths });
  return paths;
}

/** Pixels between the points of a path that labels avoid. */
const EVERY = 12;
const MAX_PLACES = 500;

/** @param {Landscape} landscape @param {Frame} frame */
function pointsAlong({ path }, frame) {
  /** @type {Array<{left: number, top: number}>} */
  const places = [];
  const at = (/** @type {number} */ place) =>
    path ? [toLeft(frame, path.x[place]), toTop(frame, path.y[place])] : [0, 0];
  for (let place = 1; path && place < path.x.length; place++) {
    const [[left, top], [right, bottom]] = [at(place - 1), at(place)];
    const steps = Math.min(MAX_PLACES - places.length, Math.ceil(Math.hypot(right - left, bottom - top) / EVERY));
    for (let step = 0; step <= steps; step++)
      places.push({ left: left + ((right - left) * step) / steps, top: top + ((bottom - top) * step) / steps });
  }
  return places;
}

/** @param {Model} model @param {{width: number, height: number}} size @param {Zoom | null} zoom
 * @param {boolean} isFilled @param {string} id prefix of the ids in the drawing
 * @param {Trajectory[]} trajectories */
export function map(model, size, zoom, isFilled, id, trajectories) {
  const frame = frameOf(model, size, zoom);
  const paths = pathsOf(model, frame, trajectories);
  const themeColours = tokens();
  const { levels, scale, area, line } = model.heights;
  const bands = bandsOf(model.heights);
  const fillOf = (/** @type {number} */ level) => bands.find((band) => band.from >= level)?.colour ?? area(level);
  return html`<svg xmlns="http://www.w3.org/2000/svg" width=${size.width} height=${size.height}
    viewBox="0 0 ${size.width} ${size.height}" font-family=${FONT} font-size="11" aria-hidden="true">
    <defs>
      <clipPath id="${id}-area"><rect x=${frame.left} y=${frame.top} width=${frame.width}
        height=${frame.height}></rect></clipPath>
      <pattern id="${id}-missing" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path
        d="M0 0V6" stroke=${themeColours.label} stroke-width="1" opacity="0.5"></path></pattern>
    </defs>
    <g clip-path="url(#${id}-area)">
      ${
        model.dropped + model.nonFinite
          ? svg`<rect x=${frame.left} y=${frame.top} width=${frame.width} height=${frame.height}
            fill="url(#${id}-missing)"></rect>`
          : nothing
      }
      <path class="known" d=${paths.known}
        fill=${isFilled ? (bands[0]?.colour ?? area(levels[0] ?? 0)) : themeColours.surface}></path>
      ${
        isFilled
          ? paths.areas.map(
              ({ level, path }) =>
                svg`<path class="area" data-level=${level} d=${path} fill=${fillOf(level)} fill-rule="evenodd"></path>`,
            )
          : nothing
      }
      ${paths.contours.map(
        ({ level, path }) =>
          svg`<path class="contour" data-level=${level} data-loss=${lossText(level, scale)} d=${path} fill="none"
            stroke=${isFilled ? themeColours.surface : line(level)} stroke-width=${isFilled ? 0.7 : 1.4}
            stroke-opacity=${isFilled ? 0.55 : 1} stroke-linejoin="round"></path>`,
      )}
      ${dots(model.landscape, frame, themeColours, isFilled ? themeColours.surface : themeColours.label)}
      ${paths.labels.map(
        ({ level, left, top, turn }) =>
          svg`<text class="level-label"
            transform="translate(${left.toFixed(1)} ${top.toFixed(1)}) rotate(${turn.toFixed(1)})" dy="3.6"
            text-anchor="middle" font-size="10.5" fill=${themeColours.text} stroke=${themeColours.surface}
            stroke-width="3"
            stroke-opacity="0.85" paint-order="stroke" stroke-linejoin="round">${lossText(level, scale)}</text>`,
      )}
      ${marks(trajectories, companionsOf(model.landscape), frame, themeColours)}
    </g>
    <rect x=${frame.left} y=${frame.top} width=${frame.width} height=${frame.height} fill="none"
      stroke=${themeColours.grid}></rect>
    ${axes(model, frame, themeColours, trajectories.length > 1)}
    ${colourBar(model, frame, themeColours, bands, isFilled)}
  </svg>`;
}

/** More dots would hide the map. */
const MAX_DOTS = 2500;

/** Widths of dots: at the finest level, added per coarser level, maximum, and without levels. */
const FINEST = 1.7;
const COARSER = 0.55;
const WIDEST = 3.6;
const PLAIN = 2.2;

/** Dots at the measured nodes, larger at coarser levels; crosses where the loss is not finite.
 * @param {Landscape} landscape @param {Frame} frame @param {ReturnType<typeof tokens>} themeColours
 * @param {string} colour */
function dots(landscape, frame, themeColours, colour) {
  const { x, y, z, isKnown } = nodesOf(landscape);
  if (z.length > MAX_DOTS) return nothing;
  /** @type {Map<number, string>} */
  const byLevel = new Map();
  let nonFinite = "";
  for (let row = 0; row < y.length; row++) {
    for (let column = 0; column < x.length; column++) {
      const at = row * x.length + column;
      if (!isKnown(at)) continue;
      const place = `M${toLeft(frame, x[column]).toFixed(1)} ${toTop(frame, y[row]).toFixed(1)}`;
      const level = landscape.measured ? levelOf(column, row, x.length, y.length) : 0;
      if (Number.isFinite(z[at])) byLevel.set(level, `${byLevel.get(level) ?? ""}${place}h0`);
      else if (landscape.measured) nonFinite += `${place}m-3 -3l6 6m0 -6l-6 6`;
    }
  }
  const finest = Math.max(0, ...byLevel.keys());
  const width = (/** @type {number} */ level) =>
    landscape.measured ? Math.min(WIDEST, FINEST + COARSER * (finest - level)) : PLAIN;
  return svg`${[...byLevel].map(
    ([level, path]) =>
      svg`<path class="measured" data-level=${level} d=${path} fill="none" stroke=${colour} stroke-width=${width(level)}
        stroke-linecap="round" stroke-opacity="0.75"></path>`,
  )}
    ${
      nonFinite
        ? svg`<path class="non-finite-nodes" d=${nonFinite} fill="none" stroke=${themeColours.damage}
          stroke-width="1.4"></path>`
        : nothing
    }`;
}

/** @param {Model} model @param {Frame} frame @param {ReturnType<typeof tokens>} themeColours
 * @param {boolean} areSeveral are several paths drawn? The explained share then differs per path */
function axes({ landscape }, frame, themeColours, areSeveral) {
  const x = axisTicks("value", frame.x, { length: frame.width });
  const y = axisTicks("value", frame.y, { length: frame.height, isVertical: true });
  const bottom = frame.top + frame.height;
  const middle = frame.top + frame.height / 2;
  const names = (areSeveral ? axisNames(landscape) : axisNamesWithShare(landscape)).map((name, at) =>
    [name, [x, y][at].offset && `(${[x, y][at].offset})`].filter(Boolean).join(" "),
  );
  return svg`<g fill=${themeColours.label}>
    ${x.ticks.map(
      (tick, at) =>
        svg`<path d="M${toLeft(frame, tick).toFixed(1)} ${bottom}v4" stroke=${themeColours.label}
          stroke-opacity="0.5"></path><text x=${toLeft(frame, tick).toFixed(1)} y=${bottom + 16}
          text-anchor="middle">${x.labels[at]}</text>`,
    )}
    ${y.ticks.map(
      (tick, at) =>
        svg`<path d="M${frame.left} ${toTop(frame, tick).toFixed(1)}h-4" stroke=${themeColours.label}
          stroke-opacity="0.5"></path><text x=${frame.left - 7} y=${toTop(frame, tick).toFixed(1)} dy="4"
          text-anchor="end">${y.labels[at]}</text>`,
    )}
    <text x=${frame.left + frame.width / 2} y=${bottom + 31} text-anchor="middle">${names[0]}</text>
    <text transform="translate(11 ${middle}) rotate(-90)" text-anchor="middle">${names[1]}</text>
  </g>`;
}

/** The names of the axes. @param {Landscape} landscape */
export const axisNames = ({ metadata: { decomposition } }) =>
  [1, 2].map((which) => t(decomposition === "PCA" ? "land.component" : "land.direction", { which }));

/** The names of the axes with the share of the path that each explains. @param {Landscape} landscape */
const axisNamesWithShare = (landscape) =>
  axisNames(landscape).map((name, axis) => {
    const part = landscape.diagnostics?.energy[axis];
    return part === undefined ? name : t("land.axis_energy", { name, part: `${shortNumber(part * 100, 3)}%` });
  });

/** The colour bar.
 * @param {Model} model @param {Frame} frame @param {ReturnType<typeof tokens>} themeColours
 * @param {ReturnType<typeof bandsOf>} bands @param {boolean} isFilled */
function colourBar({ heights }, frame, themeColours, bands, isFilled) {
  const {
    scale,
    range: [lo, hi],
    levels,
    line,
    area,
    isClipped,
  } = heights;
  const left = frame.left + frame.width + 12;
  const top = (/** @type {number} */ height) =>
    frame.top + frame.height - ((height - lo) / (hi - lo || 1)) * frame.height;
  let above = Infinity;
  const labelled = [lo, ...levels, hi].filter((height) => {
    const isFree = above - top(height) >= 14 && (height === hi || height === lo || top(height) - top(hi) >= 14);
    if (isFree) above = top(height);
    return isFree;
  });
  return svg`<g fill=${themeColours.label}>
    ${bands.map(
      ({ from, to, colour }) =>
        svg`<rect x=${left} y=${top(to).toFixed(2)} width=${BAR} height=${(top(from) - top(to) + 0.3).toFixed(2)}
          fill=${isFilled ? colour : themeColours.surface}></rect>`,
    )}
    ${
      isFilled
        ? nothing
        : levels.map(
            (level) =>
              svg`<path d="M${left} ${top(level).toFixed(1)}h${BAR}" stroke=${line(level)} stroke-width="2"></path>`,
          )
    }
    <rect x=${left} y=${frame.top} width=${BAR} height=${frame.height} fill="none" stroke=${themeColours.grid}></rect>
    ${
      isClipped
        ? svg`<path class="clipped" d="M${left} ${frame.top}h${BAR}l${-BAR / 2} ${-TIP}Z"
          fill=${isFilled ? area(hi) : themeColours.surface} stroke=${isFilled ? themeColours.grid : line(hi)}></path>`
        : nothing
    }
    ${labelled.map(
      (height) =>
        svg`<text x=${left + BAR + 5} y=${Math.max(frame.top + 4, top(height)).toFixed(1)}
          dy=${height === lo ? 0 : 4}>${height === hi ? topText(heights) : lossText(height, scale)}</text>`,
    )}
  </g>`;
}
