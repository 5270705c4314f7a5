// The runs of the lineage page and what is shown of them: columns, brushed and hidden runs, order, colours.

import { computed } from "@preact/signals-core";
import { nameOf } from "../../controls/run_row.js";
import { sortRows } from "../../controls/table_rows.js";
import { likelyBest, likelyMetrics } from "../../data/metrics.js";
import { excludedRuns, noteOf } from "../../data/notes.js";
import { matchesRunFilter, visibleRuns } from "../../data/runs.js";
import { keptBy } from "./model/brush.js";
import { columnOf, columnsOf } from "./model/columns.js";
import { flatPipeline } from "./model/pipeline.js";
import { lastScalars, lineages, pipelines, wholeRuns } from "./model/runs.js";
import { isUsuallyLog, scaleOf } from "./model/scale.js";
import {
  brushes,
  chosenAxes,
  chosenColumns,
  chosenTarget,
  chosenThird,
  chosenX,
  chosenY,
  hiding,
  isSettled,
  part,
  scope,
  settledBrushes,
  sorting,
  turnedLogs,
} from "./settings.js";

/** @typedef {import("./model/columns.js").Column} Column */
/** @typedef {import("./model/columns.js").Source} Source */

/** Axes that are drawn when nobody has chosen any, the target among them. */
const USUAL_AXES = 10;
/** Columns up to which the table shows those that never vary too. */
const FEW_COLUMNS = 24;
/** More different texts than this are names, not categories. */
const MOST_CATEGORIES = 30;

/** Runs that may be rows, in start order; told only when they change. */
export const listedRuns = computed(() => /** @type {string[]} */ (JSON.parse(listedText.value)));
const listedText = computed(() => {
  const drawn = scope.value ? new Set(visibleRuns.value) : null;
  return JSON.stringify(
    wholeRuns.value.filter((run) =>
      drawn ? drawn.has(run) : matchesRunFilter.value(run) && !excludedRuns.value.has(run),
    ),
  );
});

/** What each run says that says anything. @type {import("@preact/signals-core").ReadonlySignal<readonly Source[]>} */
export const sources = computed(() =>
  listedRuns.value.flatMap((run) => {
    const told = lineages.rows.value.get(run);
    if (!told) return [];
    const pipeline = pipelines.rows.value.get(run);
    return [
      {
        run,
        param: told.hyper_parameters,
        metric: told.metrics,
        train: told.train_dataset,
        valid: told.valid_dataset,
        model: told.model,
        custom: told.custom,
        last: lastOf(run, told.metrics),
        data: flatOf(pipeline),
      },
    ];
  }),
);

/** Last values of scalars that are not metrics of the lineage already.
 * @param {string} run @param {Readonly<Record<string, unknown>>} metrics */
function lastOf(run, metrics) {
  const told = lastScalars.rows.value.get(run)?.metrics;
  return (
    told &&
    Object.fromEntries(
      Object.entries(told).flatMap(([tag, { last }]) => (Object.hasOwn(metrics, tag) ? [] : [[tag, last]])),
    )
  );
}

/** Pipelines do not change: each is laid out once. @type {WeakMap<object, Record<string, unknown>>} */
const flattened = new WeakMap();
/** @param {import("./model/client.js").RunPipeline | undefined} pipeline */
function flatOf(pipeline) {
  if (!pipeline?.dataset) return undefined;
  const known = flattened.get(pipeline) ?? flatPipeline(pipeline.dataset);
  flattened.set(pipeline, known);
  return known;
}

export const rowCount = computed(() => sources.value.length);
/** The row of a run. */
export const rowOf = computed(() => new Map(sources.value.map(({ run }, row) => [run, row])));

/** All columns that can be axes, by id. */
export const columns = computed(() => columnsOf(sources.value));

/** What people say about the runs, as columns of the table. */
const noteColumns = computed(() => {
  const notes = sources.value.map(({ run }) => noteOf(run));
  const column = (/** @type {string} */ name, /** @type {(string | null)[]} */ values) => ({
    ...columnOf("custom", name, values),
    id: `note:${name}`,
    isNumber: false,
  });
  return [
    column(
      "tags",
      notes.map((note) => note.tags.join(", ") || null),
    ),
    column(
      "note",
      notes.map((note) => note.note.split("\n")[0] || null),
    ),
  ];
});

/** Every column of the table, by id. */
export const tableColumns = computed(
  () => new Map([...noteColumns.value.map((column) => /** @type {const} */ ([column.id, column])), ...columns.value]),
);

/** @param {Column} column */
const isEnvironment = ({ section, name }) => section === "custom" && name.startsWith("environment/");
/** Does it belong to the part that is shown? @param {Column} column */
const isOfPart = ({ section }) =>
  part.value ? section !== "model" && section !== "custom" && section !== "param" : section !== "data";
/** Does it tell runs apart? @param {Column} column */
const tells = ({ distinct, hasMissing }) => distinct > 1 || (distinct === 1 && hasMissing) || rowCount.value === 1;

/** What training aims at; undefined without any number to aim at. @type {import("@preact/signals-core").ReadonlySignal<Column | undefined>} */
export const target = computed(() => targets.value.get(chosenTarget.value) ?? targets.value.get(usualTarget.value));
/** Columns that may be the target, by id. */
export const targets = computed(() => {
  const numbers = [...columns.value].filter(
    ([, { isNumber, section }]) => isNumber && ["metric", "last", "model", "custom"].includes(section),
  );
  return new Map(numbers.filter(([, column]) => !isEnvironment(column) && column.id !== "model:size"));
});
const usualTarget = computed(() => {
  for (const section of /** @type {const} */ (["metric", "last", "model", "custom"])) {
    const candidates = [...targets.value.values()].filter((column) => column.section === section);
    const [first] = likelyMetrics(
      candidates.map(({ name, having }) => ({ tag: name, runs: having })),
      "",
      2,
    ).toSorted((one, other) => Number(likelyBest(other) === "max") - Number(likelyBest(one) === "max"));
    if (first !== undefined) return `${section}:${first}`;
  }
  return "";
});

/** Ids of the axes from left to right; the target is the last of the usual ones. */
export const axisIds = computed(() => {
  if (chosenAxes.value) return chosenAxes.value.filter((id) => columns.value.has(id));
  const last = target.value?.id;
  const telling = [...columns.value.values()].filter(
    (column) => column.id !== last && isOfPart(column) && tells(column) && isAxis(column),
  );
  const first = telling
    .toSorted((one, other) => Number(other.distinct > 1) - Number(one.distinct > 1) || rank(one) - rank(other))
    .slice(0, USUAL_AXES - 1);
  const ordered = first.toSorted((one, other) => rank(one) - rank(other));
  return [...ordered.map(({ id }) => id), ...(last ? [last] : [])];
});
/** @param {Column} column */
const isAxis = (column) =>
  !isEnvironment(column) &&
  (column.isNumber ? column.id !== "model:size" : column.categories.length <= MOST_CATEGORIES);
/** Causes first, results last. @param {Column} column */
const rank = ({ section }) =>
  (part.value
    ? ["data", "train", "valid", "last", "metric"]
    : ["param", "custom", "train", "valid", "model", "last", "metric"]
  ).indexOf(section);

/** Ids of the columns of the table. */
export const columnIds = computed(() => {
  if (chosenColumns.value) return chosenColumns.value.filter((id) => tableColumns.value.has(id));
  const ofPart = [...columns.value.values()].filter((column) => isOfPart(column) && !isEnvironment(column));
  const many = ofPart.length > FEW_COLUMNS && rowCount.value > 1;
  const shown = ofPart.filter((column) => column.section === "metric" || tells(column) || (!many && !part.value));
  const notes = noteColumns.value.filter(({ having }) => having);
  // Of each group what tells runs apart comes first.
  const groups = Map.groupBy(
    part.value ? shown.toSorted((one, other) => rank(one) - rank(other)) : shown,
    ({ section }) => section,
  );
  const ordered = [...groups.values()].flatMap((group) =>
    group.toSorted((one, other) => Number(tells(other)) - Number(tells(one))),
  );
  return [...notes, ...ordered].map(({ id }) => id);
});

/** Is this column drawn by its logarithms? @param {Column} column */
export const isLog = (column) => isUsuallyLog(column) !== turnedLogs.value.has(column.id);
/** @param {Column} column */
export const scaleFor = (column) => scaleOf(column, isLog(column));

/** Rows that are not hidden on this page. */
export const visibleRows = computed(() => {
  const hidden = hiding.value;
  const rows = Array.from(sources.value, (_, row) => row);
  return hidden ? rows.filter((row) => hidden.runs.has(sources.value[row].run) === hidden.isOnly) : rows;
});
/** @param {ReadonlyMap<string, import("./settings.js").Brush>} by */
function keptOf(by) {
  if (!by.size) return visibleRows.value;
  const kept = keptBy(columns.value, by, rowCount.value);
  return visibleRows.value.filter((row) => kept[row]);
}
/** Of them those that every brush keeps. */
export const keptRows = computed(() => keptOf(settledBrushes.value));
/** The same while a brush is moved. */
export const liveRows = computed(() => (isSettled.value ? keptRows.value : keptOf(brushes.value)));
/** The kept rows in the order of the table. */
export const sortedRows = computed(() => {
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

/** The columns of the scatter: a hyperparameter that varies against the target, when nobody has chosen. */
export const scatterColumns = computed(() => {
  const find = (/** @type {string} */ id) => columns.value.get(id);
  const y = find(chosenY.value) ?? target.value;
  const x =
    find(chosenX.value) ??
    find(axisIds.value.find((id) => id !== y?.id && find(id)?.isNumber && (find(id)?.distinct ?? 0) > 1) ?? "") ??
    [...columns.value.values()].find((column) => column.id !== y?.id && tells(column) && isAxis(column)) ??
    y;
  return { x, y, third: find(chosenThird.value) };
});
