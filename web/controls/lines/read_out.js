// The read-out next to the cursor: the point of every line, sorted by value. Its rows are reused.

import { keyOf } from "../../charts/plot.js";
import { DASHES } from "../../data/run_styles.js";
import { startOf } from "../../data/runs.js";
import { columnFormat, grouped, inColumn, shortNumber } from "../../i18n/numbers.js";
import { clock, duration, wallTime } from "../../i18n/times.js";
import { shortNameOf } from "../run_name.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/plot.js").Line} Line */
/** @typedef {import("../../charts/readings.js").Reading} Reading */
/** What a read-out is about: an axis, and the step on it; null on other axes.
 * `resolution`: what a pixel is worth on each y axis.
 * @typedef {{axis: import("../../charts/ticks.js").Axis, step: number | null,
 *   resolution: (reading: Reading) => number}} Place */

const ROW = 20;
const GAP = 18;
const MOST_ROWS = 12;
const NARROW = 720;
/** Widths in pixels. */
const NARROWEST_VALUE = 72;
const DIGIT = 8;
/** The least width of the names, in pixels. */
const SHORTEST_NAME = 112;
/** Measures names in the font of the pointed line's row, the widest one: measuring elements would force a layout.
 * @type {CanvasRenderingContext2D | null} */
let measuring = null;
const COLUMNS = /** @type {const} */ (["smoothed", "value", "step", "relative", "wall_time"]);
const BAND_COLUMNS = /** @type {const} */ ({
  smoothed: "smoothed",
  value: "centre",
  step: "low",
  relative: "high",
  wall_time: "runs",
});

const root = /** @type {HTMLElement} */ (document.getElementById("read-out"));

/** @typedef {{root: HTMLElement, line: SVGPathElement, cells: Record<string, HTMLElement>, styleKey: string}} Row */

/** Created once; each row shows the line at its place. @type {Row[]} */
const pool = [];
const head = makeRow("head");
const more = document.createElement("div");
more.className = "more";
const moment = document.createElement("div");
moment.className = "moment";
root.append(head.root, more, moment);

/** @param {string} kind @returns {Row} */
function makeRow(kind) {
  const row = document.createElement("div");
  row.className = kind;
  const sign = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  sign.setAttribute("class", "swatch");
  sign.setAttribute("viewBox", "0 0 18 10");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", "M1 5h16");
  sign.append(line);
  /** @type {Record<string, HTMLElement>} */
  const cells = {};
  row.append(sign);
  for (const name of ["name", ...COLUMNS])
    row.append((cells[name] = Object.assign(document.createElement("span"), { className: name })));
  return { root: row, line, cells, styleKey: "" };
}

/** @param {number} place @param {Line} line */
function rowAt(place, line) {
  const { style, isBaseline } = line;
  const row = (pool[place] ??= addRow(place));
  const styleKey = `${style.colour} ${style.dash} ${keyOf(line)}`;
  if (row.styleKey !== styleKey) {
    row.styleKey = styleKey;
    row.line.setAttribute("stroke", isBaseline ? "var(--text-3)" : `var(--run-${style.colour + 1})`);
    row.line.setAttribute("stroke-dasharray", DASHES[style.dash].join(" "));
  }
  return row;
}

/** @param {number} place */
function addRow(place) {
  const row = makeRow("row");
  row.root.style.top = `${6 + (place + 1) * ROW}px`;
  root.append(row.root);
  return row;
}

/** The largest first, NaN last.
 * @param {Reading} a @param {Reading} b */
const byValue = (a, b) => (Number.isNaN(a.drawn) ? 1 : Number.isNaN(b.drawn) ? -1 : b.drawn - a.drawn);

/** @param {DOMRect} area of the plot @param {{left: number, top: number}} at @param {Reading[]} readings not empty
 * @param {Line | null} best the pointed line @param {Place} where */
export function showReadOut(area, at, readings, best, where) {
  const sorted = readings.toSorted(byValue);
  const most = Math.min(MOST_ROWS, Math.floor((innerHeight - 80) / ROW));
  const middle = Math.max(
    0,
    sorted.findIndex(({ line }) => line === best),
  );
  const first = Math.max(0, Math.min(sorted.length - most, middle - (most >> 1)));
  const rows = sorted.slice(first, first + most);
  const isBand = rows.some(({ line }) => line.series.band);
  const smooth = !isBand && rows.some(({ line }) => line.raw);
  writeHead(smooth, isBand);
  const wide = writeRows(rows, best, smooth, where);
  write(more, sorted.length > rows.length ? t("read.more", { n: grouped(sorted.length - rows.length) }) : "");
  more.hidden = sorted.length === rows.length;
  write(moment, momentOf(rows.find(({ line }) => line === best) ?? rows[0], where));
  place(area, at, rows.length + 1, (smooth ? 264 + 2 * wide : 256 + wide) + widestName(rows));
}

/** @param {Reading} reading @param {Place} where */
function momentOf({ line: { series, xs }, index, wallTime: wall }, { axis, step }) {
  if (axis === "value") return `x ${shortNumber(xs[index], 6)}`;
  const x = series.band ? series.band.x[index] : step;
  if (x === null) return `${t("read.wall_time")} ${wallTime(wall)}`;
  return `${t(`read.${axis}`)} ${axis === "step" ? grouped(x) : axis === "relative" ? duration(x) : wallTime(x)}`;
}

/** A band shows its edges and its number of runs instead of step and times.
 * @param {boolean} smooth @param {boolean} isBand */
function writeHead(smooth, isBand) {
  write(head.cells.name, t(isBand ? "read.group" : "read.run"));
  for (const name of COLUMNS) write(head.cells[name], t(`read.${isBand ? BAND_COLUMNS[name] : name}`));
  root.classList.toggle("smooth", smooth);
}

/** @param {Reading[]} rows @param {Line | null} best @param {boolean} smooth @param {Place} where
 * @returns {number} the width of a column of values, in pixels */
function writeRows(rows, best, smooth, { resolution }) {
  const finest = Math.min(...rows.map(resolution));
  const values = columnFormat(
    rows.map(({ value }) => value),
    finest,
  );
  const smoothed = columnFormat(
    rows.map(({ drawn }) => drawn),
    finest,
  );
  rows.forEach((reading, place) => {
    const row = rowAt(place, reading.line);
    show(row, true);
    writeRow(row, reading, reading.line === best, values, smooth ? smoothed : null);
  });
  for (const row of pool.slice(rows.length)) show(row, false);
  const letters = Math.max(...rows.map(({ value }) => inColumn(value, values).length));
  const wide = Math.max(NARROWEST_VALUE, letters * DIGIT);
  root.style.setProperty("--value-width", `${wide}px`);
  return wide;
}

/** The width of the longest name, in pixels.
 * @param {Reading[]} rows */
function widestName(rows) {
  const pen = (measuring ??= measuringPen());
  const widths = rows.map(({ line }) => pen.measureText(nameOfLine(line)).width);
  return Math.ceil(Math.max(SHORTEST_NAME, ...widths)) + 1;
}

function measuringPen() {
  const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  pen.font = `600 12px ${getComputedStyle(document.body).fontFamily}`;
  return pen;
}

/** @param {Row} row @param {boolean} shown */
function show({ root: row }, shown) {
  if (row.hidden === !shown && row.dataset.shown) return;
  row.hidden = !shown;
  row.dataset.shown = String(shown);
}

/** @param {Line} line */
const nameOfLine = ({ run, series, kin = [] }) =>
  [...kin, series.band && !run ? t("read.all_runs") : shortNameOf(run)].join(" · ");

/** @param {Row} row @param {Reading} reading @param {boolean} best
 * @param {import("../../i18n/numbers.js").ColumnFormat} format
 * @param {import("../../i18n/numbers.js").ColumnFormat | null} smoothFormat */
function writeRow(row, { line, index, step, wallTime: wall, value, drawn, isElsewhere }, best, format, smoothFormat) {
  const { run, series, kin = [] } = line;
  const { cells } = row;
  row.root.classList.toggle("best", best);
  row.root.classList.toggle("elsewhere", isElsewhere);
  cells.value.classList.toggle("non-finite", !Number.isFinite(value));
  write(cells.name, nameOfLine(line));
  const { dataset } = row.root;
  dataset.run = run;
  dataset.step = String(step);
  dataset.value = String(value);
  dataset.kin = kin.join(" ");
  write(cells.value, inColumn(value, format));
  write(cells.smoothed, smoothFormat ? inColumn(drawn, smoothFormat) : "");
  if (smoothFormat) dataset.smoothed = String(drawn);
  if (series.band) return writeBand(row, series.band, index, format);
  write(cells.step, grouped(step));
  write(cells.relative, duration(wall - startOf(run)));
  write(cells.wall_time, clock(wall));
}

/** @param {Row} row @param {import("../../data/series.js").Band} band @param {number} index
 * @param {import("../../i18n/numbers.js").ColumnFormat} format */
function writeBand({ cells, root: { dataset } }, { low, high, count, most }, index, format) {
  write(cells.step, low.length ? inColumn(low[index], format) : "");
  write(cells.relative, high.length ? inColumn(high[index], format) : "");
  write(
    cells.wall_time,
    count[index] < most ? t("read.of_runs", { n: grouped(count[index]), total: grouped(most) }) : grouped(most),
  );
  dataset.low = String(low[index]);
  dataset.high = String(high[index]);
  dataset.count = String(count[index]);
}

/** Writes only changes, and into the existing text node, which is cheaper than a new one.
 * @param {HTMLElement} cell @param {string} text */
function write(cell, text) {
  const node = /** @type {Text} */ (cell.firstChild ?? cell.appendChild(new Text()));
  if (node.data !== text) node.data = text;
}

/** Places the read-out next to the chart if there is room. Its size is computed, so that no layout is forced.
 * @param {DOMRect} area @param {{left: number, top: number}} at @param {number} rows
 * @param {number} wide preferred width */
function place(area, at, rows, wide) {
  const narrow = innerWidth < NARROW;
  const width = Math.min(innerWidth - 16, narrow ? 300 : wide);
  const height = rows * ROW + 14 + ROW;
  const left = narrow ? (innerWidth - width) / 2 : leftOf(area, at, width);
  const under = area.top + area.height + 30;
  const top =
    narrow && under + height < innerHeight ? under : Math.max(8, Math.min(area.top, innerHeight - height - 8));
  root.style.width = `${width}px`;
  root.style.height = `${height}px`;
  root.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  root.hidden = false;
}

/** @param {DOMRect} area @param {{left: number}} at @param {number} width */
function leftOf({ left, width: areaWidth }, at, width) {
  const right = left + areaWidth + GAP;
  if (right + width < innerWidth) return right;
  if (left - 52 - width > 0) return left - 52 - width;
  const cursor = left + at.left;
  return cursor + GAP + width < innerWidth ? cursor + GAP : Math.max(8, cursor - GAP - width);
}

export function hideReadOut() {
  root.hidden = true;
}
