// The state of the lineage page: runs as rows, their columns, the rows that brushes keep, and their order.

import { computed } from "@preact/signals-core";
import { nameOf } from "../../controls/run_name.js";
import { columnOf, columnsOf } from "../../controls/run_plots/columns.js";
import { isLogByDefault, scaleOf } from "../../controls/run_plots/scale.js";
import { excludedRuns, noteOf } from "../../data/notes/notes.js";
import { runNames } from "../../data/runs/catalogue.js";
import { matchesSearch } from "../../data/runs/run_search.js";
import { sorting as runSorting, sortedRuns } from "../../data/runs/run_sort.js";
import { visibleRuns } from "../../data/runs/runs.js";
import { directionOf } from "../../data/series/directions.js";
import { likelyMetrics } from "../../data/series/metrics.js";
import { sortRows } from "../../data/text/sorting.js";
import { axesThatFit } from "./axes_room.js";
import { keptBy } from "./model/brush.js";
import { orderedByTarget } from "./model/category_order.js";
import { importance } from "./model/importance.js";
import { flatPipeline } from "./model/pipeline.js";
import { lastScalars, lineages, pipelines } from "./model/runs.js";
import {
  appliedBrushes,
  areBrushesApplied,
  brushes,
  chosenAxes,
  chosenColumns,
  chosenTarget,
  chosenThird,
  chosenX,
  chosenY,
  part,
  scope,
  sorting,
  toggledLogs,
  visibility,
} from "./settings.js";

/** @typedef {import("../../controls/run_plots/columns.js").Column} Column */
/** @typedef {import("../../controls/run_plots/columns.js").Source} Source */

/** With at most so many columns, the table also shows constant ones. */
const MAX_DEFAULT_COLUMNS = 24;
/** A column with more distinct texts contains names rather than categories. */
const MAX_CATEGORIES = 30;

/** Runs that may be rows, in start order; the signal changes only if they do. */
export const listedRuns = computed(() => /** @type {string[]} */ (JSON.parse(listedKey.value)));
const listedKey = computed(() => {
  const drawn = scope.value ? new Set(visibleRuns.value) : null;
  return JSON.stringify(
    runNames.value.filter((run) => (drawn ? drawn.has(run) : matchesSearch.value(run) && !excludedRuns.value.has(run))),
  );
});

/**
 * The recorded values of each run that has any.
 * @type {import("@preact/signals-core").ReadonlySignal<readonly Source[]>}
 */
export const sources = computed(() =>
  listedRuns.value.flatMap((run) => {
    const lineage = lineages.rows.value.get(run);
    if (!lineage) return [];
    const pipeline = pipelines.rows.value.get(run);
    return [
      {
        run,
        param: lineage.hyper_parameters,
        metric: lineage.metrics,
        train: lineage.train_dataset,
        valid: lineage.valid_dataset,
        model: lineage.model,
        custom: lineage.custom,
        last: lastValuesOf(run, lineage.metrics),
        data: flatPipelineOf(pipeline),
      },
    ];
  }),
);

/** Last values of scalars that are not already metrics of the lineage.
 * @param {string} run @param {Readonly<Record<string, unknown>>} metrics */
function lastValuesOf(run, metrics) {
  const scalars = lastScalars.rows.value.get(run)?.metrics;
  return (
    scalars &&
    Object.fromEntries(
      Object.entries(scalars).flatMap(([tag, { last }]) => (Object.hasOwn(metrics, tag) ? [] : [[tag, last]])),
    )
  );
}

/** A cache: pipelines never change. @type {WeakMap<object, Record<string, unknown>>} */
const flattened = new WeakMap();
/** @param {import("./model/client.js").RunPipeline | undefined} pipeline */
function flatPipelineOf(pipeline) {
  if (!pipeline?.dataset) return undefined;
  const flat = flattened.get(pipeline) ?? flatPipeline(pipeline.dataset);
  flattened.set(pipeline, flat);
  return flat;
}

/** The runs by row. */
export const runs = computed(() => sources.value.map(({ run }) => run));
/** Row numbers by run. */
const rowOf = computed(() => new Map(runs.value.map((run, row) => [run, row])));
export const rowCount = computed(() => sources.value.length);

const recordedColumns = computed(() => columnsOf(sources.value));
/** All columns that can be axes, by id; categories in the order of the target. */
export const columns = computed(() => {
  const by = target.value;
  if (!by) return recordedColumns.value;
  const ordered = [...recordedColumns.value].map(
    ([id, column]) => /** @type {const} */ ([id, column.isNumber ? column : orderedByTarget(column, by)]),
  );
  return new Map(ordered);
});

/** Labels and notes of the runs, as columns of the table. */
const noteColumns = computed(() => {
  const notes = sources.value.map(({ run }) => noteOf(run));
  const column = (/** @type {string} */ name, /** @type {(string | null)[]} */ values) => ({
    ...columnOf("custom", name, values),
    id: `note:${name}`,
    isNumber: false,
  });
  return [
    column(
      "labels",
      notes.map((note) => note.labels.join(", ") || null),
    ),
    column(
      "note",
      notes.map((note) => note.note.trimStart().split("\n")[0] || null),
    ),
  ];
});

/** Every column of the table, by id. */
export const tableColumns = computed(
  () => new Map([...noteColumns.value.map((column) => /** @type {const} */ ([column.id, column])), ...columns.value]),
);

/** @param {Column} column */
const isEnvironment = ({ section, name }) => section === "custom" && name.startsWith("environment/");
/** Whether a column belongs to the shown part. @param {Column} column */
const isOfPart = ({ section }) =>
  part.value ? section !== "model" && section !== "custom" && section !== "param" : section !== "data";
/** Whether a column distinguishes runs. @param {Column} column */
const distinguishesRuns = ({ distinct, hasMissing }) =>
  distinct > 1 || (distinct === 1 && hasMissing) || rowCount.value === 1;

/**
 * The target column; undefined if no column is numeric.
 * @type {import("@preact/signals-core").ReadonlySignal<Column | undefined>}
 */
export const target = computed(() => targets.value.get(chosenTarget.value) ?? targets.value.get(defaultTarget.value));
/** Columns that may be the target, by id. */
export const targets = computed(() => {
  const numbers = [...recordedColumns.value].filter(
    ([, { isNumber, section }]) => isNumber && ["metric", "last", "model", "custom"].includes(section),
  );
  return new Map(numbers.filter(([, column]) => !isEnvironment(column) && column.id !== "model:size"));
});
const defaultTarget = computed(() => {
  for (const section of /** @type {const} */ (["metric", "last", "model", "custom"])) {
    const candidates = [...targets.value.values()].filter((column) => column.section === section);
    const [first] = likelyMetrics(
      candidates.map(({ name, recordedRuns }) => ({ tag: name, runs: recordedRuns })),
      "",
      2,
    ).toSorted((a, b) => Number(directionOf(b) === "max") - Number(directionOf(a) === "max"));
    if (first !== undefined) return `${section}:${first}`;
  }
  return "";
});

/** Ids of the axes from left to right; by default the target is the last one. */
export const axisIds = computed(() => {
  if (chosenAxes.value) return chosenAxes.value.filter((id) => columns.value.has(id));
  const last = target.value?.id;
  const candidates = [...columns.value.values()].filter(
    (column) => column.id !== last && isOfPart(column) && distinguishesRuns(column) && canBeAxis(column),
  );
  const byImportance = placeByImportance.value;
  const first = candidates
    .toSorted(
      (a, b) =>
        Number(b.distinct > 1) - Number(a.distinct > 1) ||
        byImportance(a) - byImportance(b) ||
        sectionRank(a) - sectionRank(b),
    )
    .slice(0, axesThatFit.value - 1);
  const ordered = first.toSorted((a, b) => sectionRank(a) - sectionRank(b) || byImportance(a) - byImportance(b));
  return [...ordered.map(({ id }) => id), ...(last ? [last] : [])];
});
/** Returns the place of a column by its importance for the target; behind all others until that is known. */
const placeByImportance = computed(() => {
  const measured = (importance.reply.value?.parameters ?? [])
    .filter((parameter) => parameter.importance !== null)
    .sort((a, b) => Number(b.importance) - Number(a.importance));
  const places = new Map(measured.map(({ name }, place) => [columnNamed(name), place]));
  return (/** @type {Column} */ { id }) => places.get(id) ?? places.size;
});

/** The column id for a parameter name of the importance reply; "" if there is none. @param {string} name */
export const columnNamed = (name) =>
  [
    `param:${name}`,
    `custom:${name}`,
    `custom:${name.replace(/^(custom\/)+/, "")}`,
    `train:${name}`,
    `model:${name}`,
  ].find((id) => recordedColumns.value.has(id)) ?? "";

/** @param {Column} column */
const canBeAxis = (column) =>
  !isEnvironment(column) && (column.isNumber ? column.id !== "model:size" : column.categories.length <= MAX_CATEGORIES);
/** The order of sections on axes: causes first, results last. @param {Column} column */
const sectionRank = ({ section }) =>
  (part.value
    ? ["data", "train", "valid", "last", "metric"]
    : ["param", "custom", "train", "valid", "model", "last", "metric"]
  ).indexOf(section);

/** @param {Column} column */
const isResult = ({ section }) => section === "metric" || section === "last";

/** Ids of the columns of the table. */
export const columnIds = computed(() => {
  if (chosenColumns.value) return chosenColumns.value.filter((id) => tableColumns.value.has(id));
  const ofPart = [...columns.value.values()].filter((column) => isOfPart(column) && !isEnvironment(column));
  const many = ofPart.length > MAX_DEFAULT_COLUMNS && rowCount.value > 1;
  const shown = ofPart.filter(
    (column) => column.section === "metric" || distinguishesRuns(column) || (!many && !part.value),
  );
  const notes = noteColumns.value.filter(({ recordedRuns }) => recordedRuns);
  // Results come first; in each group, columns that distinguish runs, the most important ones first.
  const place = (/** @type {Column} */ column) =>
    part.value || !isResult(column) ? sectionRank(column) : -1 - sectionRank(column);
  const byImportance = placeByImportance.value;
  const ordered = shown.toSorted(
    (a, b) =>
      place(a) - place(b) ||
      Number(distinguishesRuns(b)) - Number(distinguishesRuns(a)) ||
      byImportance(a) - byImportance(b),
  );
  return [...notes, ...ordered].map(({ id }) => id);
});

/** Whether the axis of a column is logarithmic. @param {Column} column */
export const isLog = (column) => isLogByDefault(column) !== toggledLogs.value.has(column.id);
/** @param {Column} column */
export const scaleFor = (column) => scaleOf(column, isLog(column));

/** Rows that are not hidden on this page. */
export const visibleRows = computed(() => {
  const hidden = visibility.value;
  const rows = Array.from(sources.value, (_, row) => row);
  return hidden ? rows.filter((row) => hidden.runs.has(sources.value[row].run) === hidden.isOnly) : rows;
});
/** @param {ReadonlyMap<string, import("./settings.js").Brush>} by */
function rowsKeptBy(by) {
  if (!by.size) return visibleRows.value;
  const kept = keptBy(columns.value, by, rowCount.value);
  return visibleRows.value.filter((row) => kept[row]);
}
/** Visible rows that every brush keeps. */
export const keptRows = computed(() => rowsKeptBy(appliedBrushes.value));
export const keptRuns = computed(() => keptRows.value.map((row) => sources.value[row].run));
/** The same rows, updated with every frame while a brush is moved. */
export const liveRows = computed(() => (areBrushesApplied.value ? keptRows.value : rowsKeptBy(brushes.value)));
/** The kept rows in the order of the table's columns; without one, in that of the bar of runs. */
export const sortedRows = computed(() => {
  if (!sorting.value.length) return inOrderOfRuns(keptRows.value);
  const by = sorting.value.flatMap(({ id, down }) => {
    const column = tableColumns.value.get(id);
    const value =
      id === "name"
        ? (/** @type {number} */ row) => nameOf(sources.value[row].run)
        : column && ((/** @type {number} */ row) => column.values[row]);
    return value ? [{ value, down }] : [];
  });
  return sortRows(keptRows.value, by);
});
/** @param {readonly number[]} rows */
function inOrderOfRuns(rows) {
  if (!runSorting.value.length) return rows;
  const rowOfRun = rowOf.value;
  return sortedRuns(rows.map((row) => sources.value[row].run)).map((run) => /** @type {number} */ (rowOfRun.get(run)));
}

/** The columns of the scatter plot; by default a varying hyperparameter against the target. */
export const scatterColumns = computed(() => {
  const find = (/** @type {string} */ id) => columns.value.get(id);
  const y = find(chosenY.value) ?? target.value;
  const x =
    find(chosenX.value) ??
    find(axisIds.value.find((id) => id !== y?.id && find(id)?.isNumber && (find(id)?.distinct ?? 0) > 1) ?? "") ??
    [...columns.value.values()].find(
      (column) => column.id !== y?.id && distinguishesRuns(column) && canBeAxis(column),
    ) ??
    y;
  return { x, y, third: find(chosenThird.value) };
});
