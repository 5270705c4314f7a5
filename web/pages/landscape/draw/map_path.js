// The training paths on a map: lines, checkpoints, start, end, and the current position.

import { nothing, svg } from "lit-html";
import { toLeft, toTop } from "../../../charts/landscape/map.js";
import { cssOf, mix, rgbOf } from "../../../charts/rgb.js";
import { lastCheckpointAt, pointAt, timesOf } from "../model/path.js";
import { endName } from "../panes.js";
import { t } from "../words.js";

/** @typedef {import("../model/path.js").Path} Path */
/** @typedef {import("../panes.js").Trajectory} Trajectory */
/** @typedef {import("../../../charts/landscape/map.js").Frame} Frame */
/** @typedef {{text: string, surface: string}} ThemeColours */

/** Paths with more checkpoints are drawn without dots. */
const MAX_DOTS = 150;

/** @param {Trajectory[]} trajectories on the surface, the first on top
 * @param {Trajectory[]} companions on the same plane, but another surface @param {Frame} frame
 * @param {ThemeColours} themeColours */
export function marks(trajectories, companions, frame, themeColours) {
  return svg`<g class="training" stroke-linejoin="round" stroke-linecap="round">
    ${companions.map(
      ({ landscape: { run, path }, colour }) =>
        path &&
        svg`<path class="halo" d=${lineOf(path, frame, path.x.length)} fill="none" stroke=${themeColours.surface}
          stroke-width="4" stroke-opacity="0.6"></path>
      <path class="companion" data-run=${run} d=${lineOf(path, frame, path.x.length)} fill="none" stroke=${colour}
        stroke-width="1.6" stroke-dasharray="5 3"></path>`,
    )}
    ${trajectories
      .map((trajectory, at) => trajectoryGroup(trajectory, at, trajectories, frame, themeColours))
      .toReversed()}
    ${trajectories.map(({ landscape: { convergence, path } }) =>
      convergence ? star(convergence, frame, themeColours, path?.x.length ? "" : t("land.converged")) : nothing,
    )}
  </g>`;
}

/** Distance in pixels below which starts share one name. */
const NEAR = 24;

/** One path. `place` moves the current position without drawing the path again.
 * @param {Trajectory} trajectory @param {number} which of the trajectories @param {Trajectory[]} trajectories
 * @param {Frame} frame
 * @param {ThemeColours} themeColours */
function trajectoryGroup(trajectory, which, trajectories, frame, themeColours) {
  const {
    landscape: { run, path, truth },
    colour,
    dash,
  } = trajectory;
  if (!path?.x.length) return nothing;
  const filled = fillingOf(truth?.residual ?? null, themeColours.surface, colour);
  const whole = lineOf(path, frame, path.x.length);
  const last = path.x.length - 1;
  const isNear = (/** @type {Path | null} */ other) =>
    other?.x.length &&
    Math.hypot(
      toLeft(frame, other.x[0]) - toLeft(frame, path.x[0]),
      toTop(frame, other.y[0]) - toTop(frame, path.y[0]),
    ) < NEAR;
  const startName = trajectories.slice(0, which).some(({ landscape: other }) => isNear(other.path))
    ? ""
    : t("land.start");
  return svg`<g class="trajectory" data-which=${which} data-run=${run}>
    <path class="halo" d=${whole} fill="none" stroke=${themeColours.surface} stroke-width="5"
      stroke-opacity="0.75"></path>
    <path class="remaining" d=${whole} fill="none" stroke=${colour} stroke-width="1.5" stroke-opacity="0.45"></path>
    <path class="traversed" d=${whole} fill="none" stroke=${colour} stroke-width="2.5" stroke-dasharray=${dash}></path>
    ${
      path.x.length > MAX_DOTS
        ? nothing
        : Array.from(
            path.x,
            (x, at) =>
              svg`<circle class="checkpoint" data-at=${at} cx=${toLeft(frame, x).toFixed(1)}
                cy=${toTop(frame, path.y[at]).toFixed(1)} r="3.2" fill=${filled(at)} stroke=${colour}
                stroke-width="1.6"></circle>`,
          )
    }
    ${named(
      frame,
      themeColours,
      path.x[0],
      path.y[0],
      startName,
      svg`<circle class="start" r="5" fill=${colour} stroke=${themeColours.surface} stroke-width="1.8"></circle>`,
    )}
    ${named(
      frame,
      themeColours,
      path.x[last],
      path.y[last],
      endName(trajectory, trajectories),
      svg`<rect class="end" x="-4.6" y="-4.6" width="9.2" height="9.2" fill=${colour} stroke=${themeColours.surface}
        stroke-width="1.8"></rect>`,
    )}
    <circle class="head" r="6" fill=${colour} stroke=${themeColours.surface} stroke-width="2.4"
      visibility="hidden"></circle>
  </g>`;
}

/** The fill of a checkpoint: its colour on the plane, fading to hollow with its distance from the plane. Hollow if
 * the distance is unknown.
 * @param {Float64Array | null} residual @param {string} surface @param {string} colour as #rrggbb */
export function fillingOf(residual, surface, colour) {
  const [full, hollow] = [rgbOf(colour), rgbOf(surface)];
  return (/** @type {number} */ at) =>
    residual ? cssOf(mix(full, hollow, Math.min(1, Number.isNaN(residual[at]) ? 0 : residual[at]))) : surface;
}

/** @param {Frame} frame @param {ThemeColours} themeColours @param {number} x @param {number} y @param {string} name
 * @param {unknown} mark */
function named(frame, themeColours, x, y, name, mark) {
  const [left, top] = [toLeft(frame, x), toTop(frame, y)];
  const isRight = left < frame.left + frame.width - 60;
  const down = top < frame.top + 20 ? 16 : -8;
  return svg`<g transform="translate(${left.toFixed(1)} ${top.toFixed(1)})">${mark}
    <text x=${isRight ? 8 : -8} y=${down} text-anchor=${isRight ? "start" : "end"} font-weight="600"
      fill=${themeColours.text}
      stroke=${themeColours.surface} stroke-width="3.5" stroke-opacity="0.9" paint-order="stroke">${name}</text></g>`;
}

/** The convergence point recorded in the file.
 * @param {readonly [number, number, number]} point @param {Frame} frame @param {ThemeColours} themeColours
 * @param {string} name */
function star([x, y], frame, themeColours, name) {
  const points = Array.from({ length: 10 }, (_, at) => {
    const [angle, radius] = [(at * Math.PI) / 5 - Math.PI / 2, at % 2 ? 3.4 : 8];
    return `${(Math.cos(angle) * radius).toFixed(1)} ${(Math.sin(angle) * radius).toFixed(1)}`;
  });
  return named(
    frame,
    themeColours,
    x,
    y,
    name,
    svg`<path class="convergence" data-x=${x} data-y=${y} d="M${points.join("L")}Z" fill=${themeColours.text}
      stroke=${themeColours.surface} stroke-width="1.6"></path>`,
  );
}

/** @param {Path} path @param {Frame} frame @param {number} count */
function lineOf({ x, y }, frame, count) {
  let line = "";
  for (let at = 0; at < count; at++)
    line += `${at ? "L" : "M"}${toLeft(frame, x[at]).toFixed(1)} ${toTop(frame, y[at]).toFixed(1)}`;
  return line;
}

/** Moves the current positions to a moment, in an existing drawing; null = the ends of the paths.
 * @param {Element} root @param {Trajectory[]} trajectories @param {Frame} frame @param {number | null} moment */
export function place(root, trajectories, frame, moment) {
  trajectories.forEach(({ landscape: { path } }, which) => {
    const trajectoryGroup = root.querySelector(`.trajectory[data-which="${which}"]`);
    if (trajectoryGroup && path) placeTrajectory(trajectoryGroup, path, frame, moment);
  });
}

/** @param {Element} trajectoryGroup @param {Path} path @param {Frame} frame @param {number | null} moment */
function placeTrajectory(trajectoryGroup, path, frame, moment) {
  const times = timesOf(path);
  const count = moment === null ? times.length : lastCheckpointAt(times, moment) + 1;
  const { x, y } = pointAt(path, moment ?? times[times.length - 1]);
  const [left, top] = [toLeft(frame, x).toFixed(1), toTop(frame, y).toFixed(1)];
  const head = trajectoryGroup.querySelector(".head");
  head?.setAttribute("visibility", moment === null ? "hidden" : "visible");
  head?.setAttribute("transform", `translate(${left} ${top})`);
  trajectoryGroup
    .querySelector(".traversed")
    ?.setAttribute("d", lineOf(path, frame, count) + (moment === null || !count ? "" : `L${left} ${top}`));
  for (const dot of trajectoryGroup.querySelectorAll(".checkpoint"))
    dot.setAttribute("opacity", Number(/** @type {SVGElement} */ (dot).dataset.at) < count ? "1" : "0.45");
}
