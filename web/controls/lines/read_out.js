// The read-out beside a chart: the value of every line at the cursor, sorted; on demand with times. Its rows are reused.

import { keyOf } from "../../charts/plot.js";
import { DASHES } from "../../data/colours/run_styles.js";
import { startOf } from "../../data/runs/runs.js";
import { readsTimes } from "../../data/series/scalar_view.js";
import { columnFormat, fineNumber, grouped, inColumn } from "../../i18n/numbers.js";
import { clock, duration, wallTime } from "../../i18n/times.js";
import { shortNameOf } from "../run_name.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/plot.js").Line} Line */
/** @typedef {import("../../charts/readings.js").Reading} Reading */
/** What a read-out is about: an axis, and the step on it; null on other axes.
 * `pixel`: what a pixel is worth on the x axis, `resolution` on each y axis.
 * @typedef {{axis: import("../../charts/ticks.js").Axis, step: number | null,
 *   pixel: number, resolution: (reading: Reading) => number}} Place */

const ROW = 20;
const GAP = 18;
const MAX_ROWS = 12;
const NARROW = 720;
/** Without times, the read-out is not wider, in pixels. */
const WIDEST = 320;
const EDGE = 12;
/** The left end of the names. */
const NAMES = 38;
const BETWEEN = 8;
const NARROWEST_VALUE = 56;
const DIGIT = 7.5;
/** The least width of the names, in pixels. */
const SHORTEST_NAME = 84;
/** Measures names in the font of the pointed line's row, the widest one: measuring elements would force a layout.
 * @type {CanvasRenderingContext2D | null} */
let measuring = null;
let measuredLeft = Number.NaN;
const COLUMNS = /** @type {const} */ (["smoothed", "value", "low", "high", "runs", "step", "relative", "wall_time"]);
/** Of the columns that do not contain values, in pixels. */
const WIDTHS = { runs: 52, step: 60, relative: 56, wall_time: 60 };
/** @typedef {typeof COLUMNS[number]} Column */

const root = /** @type {HTMLElement} */ (document.getElementById("read-out"));

/** @typedef {{root: HTMLElement, line: SVGPathElement, cells: Record<string, HTMLElement>, styleKey: string}} Row */

/** Created once; each row shows the line at its place. @type {Row[]} */
const pool = [];
const head = makeRow("head");
const more = document.createElement("div");
more.className = "more";
root.append(head.root, more);

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
  const most = Math.min(MAX_ROWS, Math.floor((innerHeight - 80) / ROW));
  const middle = Math.max(
    0,
    sorted.findIndex(({ line }) => line === best),
  );
  const first = Math.max(0, Math.min(sorted.length - most, middle - (most >> 1)));
  const rows = sorted.slice(first, first + most);
  const columns = columnsOf(rows);
  const wide = writeRows(rows, best, columns, where);
  const width = layOut(columns, wide, widestName(rows));
  const pointed = rows.find(({ line }) => line === best) ?? rows[0];
  writeHead(columns, momentOf(pointed, where), pointed.line.series.band);
  write(more, sorted.length > rows.length ? t("read.more", { n: grouped(sorted.length - rows.length) }) : "");
  more.hidden = sorted.length === rows.length;
  place(area, at, rows.length + 1 + Number(!more.hidden), width);
}

/** What is shown of the lines: their values; edges of bands; steps that differ; times on demand.
 * @param {Reading[]} rows @returns {Column[]} from the left */
function columnsOf(rows) {
  const bands = rows.flatMap(({ line }) => line.series.band ?? []);
  const isSmooth = !bands.length && rows.some(({ line }) => line.raw);
  const hasTimes = readsTimes.value && innerWidth >= NARROW && !bands.length;
  const shown = {
    smoothed: isSmooth,
    value: true,
    low: bands.some(({ low }) => low.length),
    high: bands.some(({ high }) => high.length),
    runs: bands.length > 0,
    step: hasTimes || rows.some(({ isElsewhere }) => isElsewhere),
    relative: hasTimes,
    wall_time: hasTimes,
  };
  return COLUMNS.filter((name) => shown[name]);
}

/** Gives the columns their places, and returns the width of the read-out.
 * @param {Column[]} columns @param {number} wide the width of values @param {number} names their preferred width */
function layOut(columns, wide, names) {
  let right = EDGE;
  for (const name of columns.toReversed()) {
    const width = name in WIDTHS ? WIDTHS[/** @type {keyof typeof WIDTHS} */ (name)] : wide;
    root.style.setProperty(`--${name}-right`, `${right}px`);
    root.style.setProperty(`--${name}-width`, `${width}px`);
    right += width + BETWEEN;
  }
  root.style.setProperty("--name-right", `${right}px`);
  const shown = columns.join(" ");
  if (root.dataset.columns !== shown) root.dataset.columns = shown;
  const whole = NAMES + names + right;
  return columns.includes("wall_time") ? whole : Math.min(whole, Math.max(WIDEST, NAMES + SHORTEST_NAME + right));
}

/** @param {Reading} reading @param {Place} where */
function momentOf({ line: { series, xs }, index, wallTime: wall }, { axis, step, pixel }) {
  if (axis === "value") return `x ${fineNumber(xs[index], pixel)}`;
  const x = series.band ? series.band.x[index] : axis === "relative_step" || axis === "active" ? xs[index] : step;
  if (x === null) return `${t("read.wall_time")} ${wallTime(wall, pixel)}`;
  const text = axis.endsWith("step") ? grouped(Math.round(x)) : (axis === "wall_time" ? wallTime : duration)(x, pixel);
  return `${t(`read.${axis}`)} ${text}`;
}

/** @param {Column[]} columns @param {string} moment what all rows have in common
 * @param {import("../../data/series/series.js").Band | null | undefined} band */
function writeHead(columns, moment, band) {
  write(head.cells.name, moment);
  for (const name of COLUMNS) write(head.cells[name], headOf(name, columns, band));
}

/** A single column of values needs no name; those of groups say what they are.
 * @param {Column} name @param {Column[]} columns @param {import("../../data/series/series.js").Band | null | undefined} band */
function headOf(name, columns, band) {
  if (band && name === "value") return t(`read.${band.centre}`);
  if (name === "low" || name === "high") return band && band.edges !== "none" ? t(`read.${name}_${band.edges}`) : "";
  return name !== "value" || columns.length > 1 ? t(`read.${name}`) : "";
}

/** @param {Reading[]} rows @param {Line | null} best @param {Column[]} columns @param {Place} where
 * @returns {number} the width of a column of values, in pixels */
function writeRows(rows, best, columns, { resolution }) {
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
    writeRow(row, reading, reading.line === best, values, columns.includes("smoothed") ? smoothed : null);
  });
  for (const row of pool.slice(rows.length)) show(row, false);
  const texts = rows.flatMap(({ value, drawn }) => [inColumn(value, values), inColumn(drawn, smoothed)]);
  const letters = Math.max(...texts.map(({ length }) => length));
  return Math.max(NARROWEST_VALUE, Math.ceil(letters * DIGIT));
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

/** @param {Row} row @param {import("../../data/series/series.js").Band} band @param {number} index
 * @param {import("../../i18n/numbers.js").ColumnFormat} format */
function writeBand({ cells, root: { dataset } }, { low, high, count, most }, index, format) {
  write(cells.low, low.length ? inColumn(low[index], format) : "");
  write(cells.high, high.length ? inColumn(high[index], format) : "");
  write(
    cells.runs,
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

/** Places the read-out beside the chart, or else at the end of the chart that is far from the cursor. Its size is
 * computed, so that no layout is forced.
 * @param {DOMRect} area @param {{left: number, top: number}} at @param {number} rows
 * @param {number} wide preferred width */
function place(area, at, rows, wide) {
  const narrow = innerWidth < NARROW;
  const width = Math.min(innerWidth - 16, wide);
  const height = rows * ROW + 12;
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
  const before = left - 52 - width;
  if (before > pageLeft()) return before;
  return at.left < areaWidth / 2 ? left + areaWidth - width : left;
}

/** Where the page begins beside the run list, measured once for each stay of the cursor in a chart. */
function pageLeft() {
  if (Number.isNaN(measuredLeft))
    measuredLeft = /** @type {HTMLElement} */ (document.getElementById("page")).getBoundingClientRect().left;
  return measuredLeft;
}

export function hideReadOut() {
  root.hidden = true;
  measuredLeft = Number.NaN;
}
