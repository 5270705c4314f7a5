// A chart as a separate SVG document: title, axes, bands, lines, marks, legend.

import { areWhole, axisTicks } from "../charts/ticks.js";
import { DASHES } from "../data/colours/run_styles.js";

/** @typedef {import("../data/view/address.js").Window} Window */

/** The area around a line; `opacity` from 0 to 1.
 * @typedef {{xs: ArrayLike<number>, low: ArrayLike<number>, high: ArrayLike<number>, opacity: number}} Band */

/** @typedef {object} SceneLine
 * @property {string} name
 * @property {string} colour
 * @property {number} dash one of DASHES
 * @property {boolean} right uses the right axis
 * @property {ArrayLike<number>} xs
 * @property {ArrayLike<number>} ys
 * @property {ArrayLike<number> | null} raw
 * @property {Band | null} band
 * @property {{x: number, y: number} | null} flag
 */

/** @typedef {object} Scene
 * @property {string} title
 * @property {string} note small, under the title
 * @property {number} width
 * @property {number} height without the legend
 * @property {import("../charts/ticks.js").Axis} axis
 * @property {Window} x
 * @property {Window | null} left
 * @property {Window | null} right
 * @property {boolean} log
 * @property {boolean} logX
 * @property {SceneLine[]} lines
 * @property {Array<{above: boolean, value: number}>} limits
 * @property {{surface: string, grid: string, text: string, label: string, damage: string, warning: string}} colours
 */

const MARGIN = { top: 46, right: 20, bottom: 30 };
const SIDE = 62;
const ROW = 18;
const CHARACTER = 6.3;
const MAX_NAMED = 60;

/** @param {string} text */
const escaped = (text) =>
  text.replace(/[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (sign) =>
    sign < " " ? "\ufffd" : `&#${sign.charCodeAt(0)};`,
  );
/** @param {number} number */
const short = (number) => String(Math.round(number * 10) / 10);

/** @param {Scene} scene @returns {string} */
export function chartSvg(scene) {
  const { width, height, colours } = scene;
  const area = {
    left: SIDE,
    top: MARGIN.top,
    width: width - SIDE - (scene.right ? SIDE : MARGIN.right),
    height: height - MARGIN.top - MARGIN.bottom,
  };
  const toX = placer(scene.x, scene.logX, area.width);
  const on = (/** @type {Window | null} */ window) => {
    const up = placer(window ?? [0, 1], scene.log, area.height);
    return (/** @type {number} */ y) => area.height - up(y);
  };
  const left = on(scene.left ?? scene.right);
  const right = on(scene.right);
  const names = legend(scene, width);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + names.height}"
    viewBox="0 0 ${width} ${height + names.height}"
    font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif">
<title>${escaped(scene.title)}</title>
<rect width="100%" height="100%" fill="${colours.surface}"/>
<text x="16" y="24" font-size="14" font-weight="600" fill="${colours.text}">${escaped(scene.title)}</text>
${
  scene.note
    ? `<text x="${width - 16}" y="24" font-size="11" text-anchor="end"
  fill="${colours.label}">${escaped(scene.note)}</text>`
    : ""
}
<clipPath id="area"><rect width="${area.width}" height="${area.height}"/></clipPath>
<g transform="translate(${area.left} ${area.top})" font-size="11" fill="${colours.label}">
${yAxis(scene, scene.left ? "left" : "right", left, area, "left")}
${scene.right && scene.left ? yAxis(scene, "right", right, area, "right") : ""}
${xTicks(scene, toX, area)}
<g clip-path="url(#area)" fill="none" stroke-linejoin="round">
${scene.limits.map((limit) => limitMark(limit, left, area, colours)).join("")}
${scene.lines.map((line) => lineMarks(line, toX, line.right ? right : left)).join("\n")}
</g>
${scene.lines.map((line) => triangles(line, toX, area, colours)).join("")}
</g>
<g font-size="12" fill="${colours.text}">${names.text}</g>
</svg>`;
}

/** @param {Window} window @param {boolean} log @param {number} length @returns {(value: number) => number} */
function placer([lo, hi], log, length) {
  if (!log) return (value) => ((value - lo) / (hi - lo)) * length;
  return (value) => (value > 0 ? (Math.log(value / lo) / Math.log(hi / lo)) * length : NaN);
}

/** @param {Scene} scene @param {"left" | "right"} of the axis of the values @param {(y: number) => number} to
 * @param {{width: number, height: number}} area
 * @param {"left" | "right"} side the side of the chart */
function yAxis({ log, colours, lines, ...scene }, of, to, area, side) {
  const columns = lines
    .filter(({ right }) => right === (of === "right"))
    .flatMap(({ ys, raw, band }) => [ys, raw ?? [], band?.low ?? [], band?.high ?? []]);
  const room = { length: area.height, isVertical: true, log, isWhole: !log && areWhole(columns) };
  const { ticks, labels, offset } = axisTicks("value", scene[of] ?? [0, 1], room);
  const at = side === "left" ? `x="-8" text-anchor="end"` : `x="${area.width + 8}"`;
  return ticks
    .map((tick, index) => {
      const y = short(to(tick));
      const line = side === "left" ? `<path d="M0 ${y}H${area.width}" stroke="${colours.grid}"/>` : "";
      return `${line}<text ${at} y="${y}" dy="4">${labels[index]}</text>`;
    })
    .concat(offsetText(offset, side === "left" ? 4 : area.width - 4, 10, side === "left" ? "start" : "end", colours))
    .join("");
}

/** @param {Scene} scene @param {(x: number) => number} to @param {{width: number, height: number}} area */
function xTicks({ axis, logX, x, colours }, to, area) {
  const { ticks, labels, offset } = axisTicks(axis, x, { length: area.width, log: logX });
  const texts = ticks.map(
    (tick, index) =>
      `<text x="${short(to(tick))}" y="${area.height + 18}" text-anchor="middle">${labels[index]}</text>`,
  );
  return texts.join("") + offsetText(offset, area.width, area.height - 4, "end", colours);
}

/** @param {string} offset @param {number} x @param {number} y @param {"start" | "end"} anchor
 * @param {Scene["colours"]} colours */
const offsetText = (offset, x, y, anchor, { label }) =>
  offset ? `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${label}">${escaped(offset)}</text>` : "";

/** @param {{above: boolean, value: number}} limit @param {(y: number) => number} to
 * @param {{width: number, height: number}} area @param {Scene["colours"]} colours */
function limitMark({ above, value }, to, area, colours) {
  const at = Math.min(Math.max(to(value), 0), area.height);
  if (!Number.isFinite(at)) return "";
  const [top, height] = above ? [0, at] : [at, area.height - at];
  return `<rect y="${short(top)}" width="${area.width}" height="${short(height)}" fill="${colours.warning}"
    opacity="0.07"/><path d="M0 ${short(at)}H${area.width}" stroke="${colours.warning}" stroke-dasharray="5 4"/>`;
}

/** @param {SceneLine} line @param {(x: number) => number} toX @param {(y: number) => number} toY */
function lineMarks({ colour, dash, xs, ys, raw, band, flag }, toX, toY) {
  const dashes = DASHES[dash].length ? ` stroke-dasharray="${DASHES[dash].join(" ")}"` : "";
  return [
    band ? `<path d="${bandPath(band, toX, toY)}" fill="${colour}" opacity="${band.opacity}"/>` : "",
    raw ? `<path d="${linePath(xs, raw, toX, toY)}" stroke="${colour}" opacity="0.25"/>` : "",
    `<path d="${linePath(xs, ys, toX, toY)}" stroke="${colour}" stroke-width="1.5" stroke-linecap="round"${dashes}/>`,
    flag ? flagMark(toX(flag.x), toY(flag.y), colour) : "",
  ].join("");
}

/** @param {number} x @param {number} y @param {string} colour */
function flagMark(x, y, colour) {
  if (!Number.isFinite(x + y)) return "";
  const up = y > 16 ? -1 : 1;
  return `<path d="M${short(x)} ${short(y)}v${13 * up}l8 ${-3 * up}l-8 ${-3 * up}" stroke="${colour}"
    fill="${colour}"/>`;
}

/** An isolated point becomes a dot: a line of zero length with round caps.
 * @param {ArrayLike<number>} xs @param {ArrayLike<number>} ys @param {(x: number) => number} toX
 * @param {(y: number) => number} toY */
function linePath(xs, ys, toX, toY) {
  const parts = [];
  let isOpen = false;
  for (let index = 0; index < ys.length; index++) {
    const x = toX(xs[index]);
    const y = toY(ys[index]);
    const isDrawn = Number.isFinite(x) && Number.isFinite(y);
    if (isDrawn) parts.push(`${isOpen ? "L" : "M"}${short(x)} ${short(y)}${isOpen ? "" : "h0"}`);
    isOpen = isDrawn;
  }
  return parts.join("");
}

/** @param {Band} band @param {(x: number) => number} toX @param {(y: number) => number} toY */
function bandPath({ xs, low, high }, toX, toY) {
  /** @type {string[]} */
  let upper = [];
  /** @type {string[]} */
  let lower = [];
  /** @type {string[]} */
  const paths = [];
  const close = () => {
    if (upper.length) paths.push(`M${upper.join("L")}L${lower.reverse().join("L")}Z`);
    [upper, lower] = [[], []];
  };
  for (let index = 0; index < xs.length; index++) {
    const [x, top, bottom] = [toX(xs[index]), toY(high[index]), toY(low[index])];
    if (!Number.isFinite(x + top + bottom)) close();
    else {
      upper.push(`${short(x)} ${short(top)}`);
      lower.push(`${short(x)} ${short(bottom)}`);
    }
  }
  close();
  return paths.join("");
}

/** @param {SceneLine} line @param {(x: number) => number} toX @param {{width: number, height: number}} area
 * @param {Scene["colours"]} colours */
function triangles({ xs, ys, raw }, toX, area, colours) {
  const values = raw ?? ys;
  const marks = [];
  for (let index = 0; index < values.length; index++) {
    const x = toX(xs[index]);
    if (Number.isFinite(values[index]) || !(x >= 0 && x <= area.width)) continue;
    const up = values[index] === Infinity;
    marks.push(`M${short(x)} ${up ? 1.5 : area.height - 1.5}l4 ${up ? 6.4 : -6.4}h-8Z`);
  }
  return marks.length ? `<path d="${marks.join("")}" fill="none" stroke="${colours.damage}" stroke-width="1.2"/>` : "";
}

/** @param {Scene} scene @param {number} width */
function legend({ lines, colours, height: top }, width) {
  let x = 16;
  let row = 0;
  const entries = lines.slice(0, MAX_NAMED).map(({ name, colour, dash }) => {
    const length = 30 + Math.min(name.length, 60) * CHARACTER + 14;
    if (x + length > width - 8 && x > 16) [x, row] = [16, row + 1];
    const at = `translate(${short(x)} ${row * ROW})`;
    x += length;
    const dashes = DASHES[dash].length ? ` stroke-dasharray="${DASHES[dash].join(" ")}"` : "";
    const shown = name.length > 60 ? `${name.slice(0, 59)}…` : name;
    return {
      at,
      mark: `<path d="M0 -4h18" stroke="${colour}" stroke-width="2"${dashes}/><text x="24">${escaped(shown)}</text>`,
    };
  });
  const more = lines.length - entries.length;
  const height = (row + 1) * ROW + 10 + (more > 0 ? ROW : 0);
  const text = entries.map(({ at, mark }) => `<g transform="${at}">${mark}</g>`).join("");
  const rest = more > 0 ? `<text x="16" y="${(row + 1) * ROW}" fill="${colours.label}">+ ${more}</text>` : "";
  return { height, text: `<g transform="translate(0 ${top + 14})">${text}${rest}</g>` };
}
