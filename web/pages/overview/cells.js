// The cells of the table of runs.

import { html, nothing, svg } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { labelChips } from "../../controls/label_chips.js";
import { firstLine } from "../../controls/markdown/first_line.js";
import { numberCell } from "../../controls/number_cell.js";
import { stateHint, stateLabel } from "../../controls/state_mark.js";
import { baseline } from "../../data/runs/baseline.js";
import { errorLine } from "../../data/runs/run_state.js";
import { styles } from "../../data/runs/runs.js";
import { bestOf, isBestKnown } from "../../data/series/best_values.js";
import { percentText, verdictOf, withSign } from "../../data/series/delta.js";
import { grouped, inColumn, nonFinite, plainText } from "../../i18n/numbers.js";
import { clock, day, duration, wallTime } from "../../i18n/times.js";
import { bestValues, formats, fractionRooms } from "./rows.js";
import { sparkline } from "./sparkline.js";
import { t } from "./words.js";

/** @typedef {import("./row.js").Row} Row */
/** @typedef {import("./columns.js").Column} Column */

const LINE_WIDTH = 88;
const LINE_HEIGHT = 20;

/** What there is to say of a state in a word: the type of the error, and that there are values which are no numbers.
 * @param {Row} row @param {boolean} hasBad @returns {string[]} */
export const stateNotes = ({ runRow: { error }, facts }, hasBad) => [
  ...(error?.type ? [error.type] : []),
  ...(hasBad ? [nonFinite(Number(facts?.first_bad?.value ?? NaN)) ?? "NaN"] : []),
];

/** @param {Row} row */
function stateCell(row) {
  const bad = row.facts?.first_bad;
  const notes = stateNotes(row, bad !== undefined && bad !== null);
  const hint = bad && t("overview.bad_at", { tag: bad.tag, step: grouped(bad.step) });
  return html`${stateLabel(row.runRow)}${notes.map(
    (note, at) =>
      html`<span class="state-note ${bad && at === notes.length - 1 ? "non-finite" : ""}"
        title=${(bad && at === notes.length - 1 ? hint : stateHint(row.runRow)) ?? nothing}>${note}</span>`,
  )}`;
}

/** @param {Row} row */
const errorCell = ({ runRow: { error } }) =>
  error ? html`<span title=${[error.type, error.text].filter(Boolean).join("\n")}>${errorLine(error)}</span>` : nothing;

/** @param {Row} row @param {Column} column */
function timeCell(row, column) {
  const seconds = /** @type {number | null} */ (column.value(row));
  return seconds === null
    ? nothing
    : html`<span title=${wallTime(seconds)}>${day(seconds)} <span
      class="dim">${clock(seconds).slice(0, 5)}</span></span>`;
}

/** @param {Row} row @param {Column} column */
const durationCell = (row, column) => (column.value(row) === null ? nothing : duration(Number(column.value(row))));

/** @param {Row} row @param {Column} column */
const countCell = (row, column) => (column.value(row) === null ? nothing : grouped(Number(column.value(row))));

/** @param {Row} row */
const labelsCell = ({ note }) => labelChips(note.labels);

/** @param {Row} row */
const noteCell = ({ note }) => html`<span title=${note.note || nothing}>${firstLine(note.note)}</span>`;

/** @param {Row} row */
function badCell({ facts }) {
  const bad = facts?.first_bad;
  return bad
    ? html`<span class="non-finite" title=${bad.tag}>${nonFinite(Number(bad.value))} @ ${grouped(bad.step)}</span>`
    : nothing;
}

/** @param {Row} row */
const damageCell = ({ runRow: { damaged_records: n } }) =>
  n ? html`<span class="damaged" title=${t("rail.damaged", { n })}>${ICONS.warning}${grouped(n)}</span>` : nothing;

/** A recorded value; numbers are aligned with those of the other runs. @param {Row} row @param {Column} column */
function plainCell(row, column) {
  const value = column.value(row);
  if (value === null) return nothing;
  const text = typeof value === "number" ? numberCell(value, fractionRooms.value(column)) : plainText(value);
  return html`<span title=${String(value)}>${text}</span>`;
}

/** A value of a metric, aligned with those of the other runs; the best one is highlighted.
 * @param {Row} row @param {Column} column */
function metricCell(row, column) {
  const value = column.value(row);
  if (typeof value !== "number") return nothing;
  const tag = column.metric ?? "";
  const metric = row.facts?.metrics[tag];
  const isLast = column.id.startsWith("last:");
  const step = isLast ? metric?.last_step : metric?.[bestOf(tag)]?.step;
  const isBest = !isLast && bestValues.value.get(tag) === value;
  const text = inColumn(value, formats.value.get(tag) ?? { decimals: 4, exponents: false });
  return html`<span class="${Number.isFinite(value) ? "" : "non-finite"} ${isBest ? "best" : ""}" data-value=${value}
    title=${step === undefined ? value : `${value} · ${t("step.at", { step: grouped(step) })}`}>${text}</span>`;
}

/** The difference to the baseline, in the colour of improvements or declines. @param {Row} row @param {Column} column */
function deltaCell(row, column) {
  if (row.run === baseline.value) return html`<span class="dim">${t("rail.baseline")}</span>`;
  const delta = column.value(row);
  if (typeof delta !== "number") return nothing;
  const format = formats.value.get(column.metric ?? "") ?? { decimals: 4, exponents: false };
  const text = column.look === "percent" ? percentText(delta) : withSign(delta, inColumn(Math.abs(delta), format));
  return html`<span class=${isBestKnown(column.metric ?? "") ? verdictOf(delta, bestOf(column.metric ?? "")) : ""} data-value=${delta}
    title=${delta}>${text}</span>`;
}

/** @param {Row} row @param {Column} column */
function sparklineCell(row, column) {
  const metric = row.facts?.metrics[column.metric ?? ""];
  return metric?.sparkline?.step.length ? sparklineOf(row.run, metric, LINE_WIDTH, LINE_HEIGHT) : nothing;
}

/** Rows are rendered often, but their sparklines rarely change.
 * @type {WeakMap<object, ReturnType<typeof sparkline>>} */
const cache = new WeakMap();

/** @param {import("../../data/runs/run_table_client.js").SparklinePoints} points @param {number} width
 * @param {number} height */
function lineOf(points, width, height) {
  const cached = cache.get(points) ?? sparkline(points, width, height);
  cache.set(points, cached);
  return cached;
}

/** The colour of a run as a CSS value. @param {string} run */
export const colourOf = (run) => `var(--run-${(styles.value.get(run)?.colour ?? 0) + 1})`;

/** A metric's sparkline in the colour of its run, with a mark at its first non-finite value.
 * @param {string} run @param {import("../../data/runs/run_table_client.js").RunMetric} metric @param {number} width
 * @param {number} height */
function sparklineOf(run, metric, width, height) {
  const points = metric.sparkline;
  if (!points?.step.length) return nothing;
  const { path, end } = lineOf(points, width, height);
  const colour = colourOf(run);
  const bad = metric.first_bad;
  const span = points.step[points.step.length - 1] - points.step[0];
  const at = bad && span ? Math.min(width - 3, Math.max(3, ((bad.step - points.step[0]) / span) * width)) : width - 3;
  return html`<svg class="sparkline" viewBox="0 0 ${width} ${height}" width=${width} height=${height} role="img"
    aria-label=${t("overview.line_of", { n: metric.points })} data-points=${points.step.length}>
    <path d=${path} stroke=${colour} />${svg`<circle cx=${end[0]} cy=${end[1]} r="1.8" fill=${colour} />`}
    ${bad ? svg`<path class="bad" d="M${at - 3} ${height - 1}l3 -5l3 5z" />` : nothing}
  </svg>`;
}

/** Renders each kind of cell. @type {Record<import("./columns.js").CellKind, (row: Row, column: Column) => unknown>} */
export const CELLS = {
  state: stateCell,
  error: errorCell,
  time: timeCell,
  duration: durationCell,
  count: countCell,
  labels: labelsCell,
  note: noteCell,
  bad: badCell,
  damage: damageCell,
  plain: plainCell,
  metric: metricCell,
  delta: deltaCell,
  percent: deltaCell,
  sparkline: sparklineCell,
};
