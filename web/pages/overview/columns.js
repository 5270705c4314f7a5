// The columns of the table of runs: values, formats and kinds of filters.

import { computed } from "@preact/signals-core";
import { stateWord } from "../../controls/state_mark.js";
import { groupValues } from "../../data/groups/run_groups.js";
import { allLabels } from "../../data/notes/notes.js";
import { baseline } from "../../data/runs/baseline.js";
import { runs } from "../../data/runs/catalogue.js";
import { dialectName } from "../../data/runs/dialects.js";
import { runColumns } from "../../data/runs/run_columns.js";
import { sorting } from "../../data/runs/run_sort.js";
import { endOf, errorLine, gravityOf, lastedOf, stateOf, withStateNames } from "../../data/runs/run_state.js";
import { metrics } from "../../data/runs/run_table.js";
import { bestOf } from "../../data/series/best_values.js";
import { deltaOf, percentOf } from "../../data/series/delta.js";
import { compareNatural } from "../../data/text/natural_order.js";
import { chosenColumns, filters } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("../../data/text/value_filter.js").Value} Value */

/** @typedef {import("./row.js").Row} Row */

/** How a cell is rendered.
 * @typedef
 * {"state" | "error" | "time" | "duration" | "count" | "labels" | "note" | "bad" | "damage" | "plain" | "metric" | "delta" | "percent" | "sparkline"}
 * CellKind */

/** @typedef {object} Column
 * @property {string} id
 * @property {string} group title above neighbouring columns
 * @property {string} label
 * @property {import("../../data/text/value_filter.js").ValueKind} kind
 * @property {number} width in pixels; 0: that of its values
 * @property {(row: Row) => Value} value to sort, filter and average by
 * @property {CellKind} look
 * @property {(row: Row) => number} [order] to sort by, if not by the value
 * @property {(text: string) => string} [filter] translates a filter before it is parsed
 * @property {string} [metric] its tag
 * @property {string} [hint] what it contains
 * @property {boolean} [downFirst] the first click sorts descending
 * @property {boolean} [isDrawing] cannot be sorted or filtered
 */

/** Hyperparameters that are columns by default. */
const DEFAULT_PARAMETERS = 16;
/** What names say about hyperparameters: those that people look for first, and the seeds, which they average over. */
const FIRST_PARAMETERS = [/(^|[._/])(lr|learning_?rate)($|[._/])/i, /optim/i, /batch/i];
const SEED = /(^|[._/])seed($|[._/])/i;

/** @param {string} id @param {import("../../data/text/value_filter.js").ValueKind} kind @param {number} width
 * @param {Column["value"]} value @param {CellKind} look
 * @returns {Column} */
const own = (id, kind, width, value, look) => ({
  id,
  group: "",
  label: t(/** @type {import("./words.js").TextKey} */ (`overview.col_${id}`)),
  kind,
  width,
  value,
  look,
});

const ownColumns = () => [
  {
    ...own("state", "text", 0, (row) => stateOf(row.runRow), "state"),
    order: (/** @type {Row} */ row) => gravityOf(row.runRow.state),
    filter: (/** @type {string} */ text) => withStateNames(text, stateWord),
  },
  own("error", "text", 200, ({ runRow: { error } }) => error && errorLine(error), "error"),
  { ...own("started", "time", 148, (row) => row.runRow.started, "time"), downFirst: true },
  { ...own("ended", "time", 148, (row) => endOf(row.runRow), "time"), downFirst: true },
  { ...own("updated", "time", 148, (row) => row.runRow.updated, "time"), downFirst: true },
  { ...own("duration", "duration", 88, (row) => lastedOf(row.runRow), "duration"), downFirst: true },
  { ...own("steps", "number", 84, (row) => row.runRow.last_step, "count"), downFirst: true },
  own("labels", "text", 140, (row) => row.note.labels.join(", ") || null, "labels"),
  own("note", "text", 180, (row) => row.note.note.split("\n")[0] || null, "note"),
  own("bad", "number", 136, valueIn("fact", "first_bad"), "bad"),
  { ...own("damaged", "number", 84, (row) => row.runRow.damaged_records || null, "damage"), downFirst: true },
  own("ranks", "number", 68, (row) => row.runRow.ranks.length, "plain"),
  own("attempts", "number", 80, (row) => row.runRow.attempts, "plain"),
  own("dialect", "text", 104, (row) => dialectName(row.runRow.dialect), "plain"),
];

/** The ids of a metric's columns. @param {string} tag */
export const metricColumnIds = (tag) => [
  `line:${tag}`,
  `last:${tag}`,
  `best:${tag}`,
  ...(baseline.value ? [`delta:${tag}`, `percent:${tag}`] : []),
];

/** @param {string} tag @returns {Column[]} */
export function metricColumns(tag) {
  const [line, last, best] = metricColumnIds(tag);
  const shared = { group: tag, metric: tag, kind: /** @type {const} */ ("number") };
  const goal = bestOf(tag);
  const downFirst = goal === "max";
  return [
    {
      ...shared,
      id: line,
      label: t("overview.col_line"),
      width: 100,
      value: () => null,
      look: "sparkline",
      isDrawing: true,
    },
    {
      ...shared,
      id: last,
      label: t("overview.col_last"),
      width: 0,
      value: valueIn("last", tag),
      look: "metric",
      downFirst,
    },
    {
      ...shared,
      id: best,
      label: t(`overview.col_${goal}`),
      width: 0,
      value: valueIn(goal, tag),
      look: "metric",
      downFirst,
    },
    ...(baseline.value ? deltaColumns(tag, baseline.value) : []),
  ];
}

/** How the best value of a metric differs from that of the baseline. @param {string} tag @param {string} base
 * @returns {Column[]} */
function deltaColumns(tag, base) {
  const goal = bestOf(tag);
  const read = runColumns.of(goal, tag);
  const shared = {
    group: tag,
    metric: tag,
    kind: /** @type {const} */ ("number"),
    width: 104,
    downFirst: goal === "max",
    hint: t("overview.delta_hint", { value: t(`overview.col_${goal}`) }),
  };
  return [
    { ...shared, id: `delta:${tag}`, label: "Δ", value: ({ run }) => deltaOf(read(run), read(base)), look: "delta" },
    {
      ...shared,
      id: `percent:${tag}`,
      label: "Δ %",
      value: ({ run }) => percentOf(read(run), read(base)),
      look: "percent",
    },
  ];
}

/** @param {import("../../data/runs/run_columns.js").Kind} kind @param {string} name @returns {Column["value"]} */
function valueIn(kind, name) {
  const read = runColumns.of(kind, name);
  return (row) => read(row.run);
}

/** @param {string} name @param {boolean} isNumber @returns {Column} */
const parameterColumn = (name, isNumber) => ({
  id: `param:${name}`,
  group: t("overview.parameters"),
  label: name,
  kind: isNumber ? "number" : "text",
  width: 0,
  value: valueIn("param", name),
  look: "plain",
});

/** The hyperparameters of all runs, by name. */
const parameters = computed(
  () =>
    new Map(
      runColumns.parameters.value
        .toSorted((a, b) => compareNatural(a.name, b.name))
        .map((parameter) => /** @type {const} */ ([parameter.name, parameter])),
    ),
);

/** All columns by id, in the order of the column menu. */
export const allColumns = computed(() => {
  const columns = [...ownColumns(), ...metrics.value.flatMap(metricColumns)];
  for (const [name, { is_number: isNumber }] of parameters.value) columns.push(parameterColumn(name, isNumber));
  return new Map(columns.map((column) => [column.id, column]));
});

/** The columns that are shown by default: what distinguishes runs. */
const defaultIds = computed(() => {
  const count = runs.value.length;
  const distinguishing = [...parameters.value.values()].filter(
    ({ values, runs: having }) => values > 1 || having < count || count === 1,
  );
  const varying = distinguishing
    .sort((a, b) => Number(b.values > 1) - Number(a.values > 1) || placeOf(a.name) - placeOf(b.name) || b.runs - a.runs)
    .slice(0, DEFAULT_PARAMETERS);
  const ended = runs.value.some((row) => endOf(row) !== null) ? ["ended"] : [];
  const damaged = runs.value.some((row) => row.damaged_records) ? ["damaged"] : [];
  const labelled = allLabels.value.length ? ["labels"] : [];
  return [
    "state",
    ...damaged,
    ...labelled,
    ...metrics.value.flatMap(metricColumnIds),
    ...varying.map(({ name }) => `param:${name}`),
    "steps",
    "duration",
    "started",
    ...ended,
  ];
});

/** @param {string} parameter */
function placeOf(parameter) {
  const first = FIRST_PARAMETERS.findIndex((pattern) => pattern.test(parameter));
  return first >= 0 ? first : FIRST_PARAMETERS.length + Number(SEED.test(parameter));
}

export const shownIds = computed(() =>
  (chosenColumns.value ?? defaultIds.value).filter((id) => allColumns.value.has(id)),
);
export const shownColumns = computed(() =>
  shownIds.value.map((id) => /** @type {Column} */ (allColumns.value.get(id))),
);

/** The columns of which the values of all runs are needed: those that are shown, and those that the table is sorted,
 * filtered or grouped by.
 * @returns {import("../../data/runs/run_columns.js").Selected} */
export function neededValues() {
  const ids = new Set([
    ...shownIds.value,
    ...sorting.value.map(({ id }) => id),
    ...filters.value.keys(),
    ...groupValues.value,
  ]);
  const goalsOf = (/** @type {"min" | "max"} */ goal) => metrics.value.filter((tag) => bestOf(tag) === goal);
  return {
    fact: ["first_bad"],
    last: metrics.value,
    min: goalsOf("min"),
    max: goalsOf("max"),
    param: [...ids].flatMap((id) => (id.startsWith("param:") ? [id.slice("param:".length)] : [])).sort(),
  };
}
