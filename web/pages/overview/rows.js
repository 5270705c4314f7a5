// The rows of the table of runs: filtered, sorted, grouped; and values over all rows.

import { computed } from "@preact/signals-core";
import { meanOf } from "../../controls/mean.js";
import { fractionRoom } from "../../controls/number_cell.js";
import { gathered } from "../../data/groups/run_grouping.js";
import { groupKeys, groupsOf, openedGroups } from "../../data/groups/run_groups.js";
import { excludedRuns } from "../../data/notes/notes.js";
import { runsByName } from "../../data/runs/catalogue.js";
import { runColumns } from "../../data/runs/run_columns.js";
import { sorting } from "../../data/runs/run_sort.js";
import { gravityOf } from "../../data/runs/run_state.js";
import { metrics } from "../../data/runs/run_table.js";
import { matchingRuns } from "../../data/runs/runs.js";
import { bestOf, isBestKnown } from "../../data/series/best_values.js";
import { sortRows } from "../../data/text/sorting.js";
import { valueFilter } from "../../data/text/value_filter.js";
import { columnFormat } from "../../i18n/numbers.js";
import { allColumns } from "./columns.js";
import { groupTitle } from "./group_title.js";
import { Row } from "./row.js";
import { filters } from "./settings.js";

/** @typedef {import("../../controls/run_table/columns.js").Line<Row>} Line */
/** name: null = the runs without a group. @typedef {{name: string | null, rows: Row[], runs: string[]}} Group */

/** The runs that match the run filter. */
const listedRows = computed(() => {
  const excluded = excludedRuns.value;
  const byName = runsByName.value;
  /** @type {Row[]} */
  const rows = [];
  for (const run of matchingRuns.value) {
    const row = byName.get(run);
    if (row && !excluded.has(run)) rows.push(new Row(row));
  }
  return rows;
});

/** The number of runs without value filters. */
export const rowCount = computed(() => listedRows.value.length);

/** The parsed value filters, by column. */
export const filterRules = computed(() => {
  const rules = [...filters.value].map(
    ([id, text]) => /** @type {const} */ ([id, ruleOf(allColumns.value.get(id), text)]),
  );
  return new Map(rules);
});

/** @param {import("./columns.js").Column | undefined} column @param {string} text */
const ruleOf = (column, text) => valueFilter(column?.filter?.(text) ?? text, column?.kind ?? "text");

export const keptRows = computed(() => {
  const rules = [...filterRules.value].flatMap(([id, rule]) => {
    const column = allColumns.value.get(id);
    return column ? [{ value: column.value, keeps: rule.keeps }] : [];
  });
  return rules.length
    ? listedRows.value.filter((row) => rules.every(({ value, keeps }) => keeps(value(row))))
    : listedRows.value;
});

/** @param {readonly Row[]} rows */
const namesOf = (rows) => rows.map(({ run }) => run);
export const keptRuns = computed(() => namesOf(keptRows.value));

const sortedRows = computed(() => {
  const columns = sorting.value.flatMap(({ id, down }) => {
    const column = allColumns.value.get(id);
    const value = id === "name" ? (/** @type {Row} */ row) => row.name : (column?.order ?? column?.value);
    return value ? [{ value, down }] : [];
  });
  return sortRows(keptRows.value, columns);
});

/** Groups ordered by their mean in the sorted column, or by their names; null = not grouped. */
export const rowGroups = computed(() => {
  const of = groupsOf.value;
  if (!of) return null;
  const first = sorting.value[0];
  const column = first && allColumns.value.get(first.id);
  const { groups, ungrouped } = gathered(sortedRows.value, ({ run }) => of(run));
  const unordered = [...groups].map(([name, rows]) => ({ name, rows, runs: namesOf(rows) }));
  const value = (/** @type {Group} */ { name, rows }) => {
    if (column && column.kind !== "text") return meanOf(rows.map(column.value))?.mean ?? null;
    if (groupKeys.value.join() === "state") return gravityOf(name ?? "");
    return Number.isNaN(Number(name)) ? name : Number(name);
  };
  /** @type {Group[]} */
  const ordered = [...sortRows(unordered, [{ value, down: column?.kind !== "text" && Boolean(first?.down) }])];
  return ungrouped.length ? [...ordered, { name: null, rows: ungrouped, runs: namesOf(ungrouped) }] : ordered;
});

/** The URL name of the group of runs without a group. */
const NO_GROUP = "-";

/** The table's lines from top to bottom. @type {import("@preact/signals-core").ReadonlySignal<readonly Line[]>} */
export const lines = computed(() => {
  if (!rowGroups.value) return linesOf(sortedRows.value, "");
  return rowGroups.value.flatMap(({ name, rows, runs }) => {
    const key = name ?? NO_GROUP;
    const isOpen = openedGroups.value.has(key);
    return [{ group: { key, title: groupTitle(name), rows, runs, isOpen } }, ...(isOpen ? linesOf(rows, key) : [])];
  });
});

/** @param {readonly Row[]} rows @param {string} of @returns {Line[]} */
const linesOf = (rows, of) => rows.map((row) => ({ run: row.run, row, of }));

/** The last and best values of a metric, NaN where there is none. @param {string} tag */
function* shownValues(tag) {
  for (const read of [runColumns.of("last", tag), runColumns.of(bestOf(tag), tag)])
    for (const { run } of listedRows.value) yield Number(read(run) ?? NaN);
}

/** The number format of each metric. */
export const formats = computed(() => new Map(metrics.value.map((tag) => [tag, columnFormat(shownValues(tag))])));

/** The room for the fractions of a column of parameters. */
export const fractionRooms = computed(() => {
  const rows = listedRows.value;
  /** @type {Map<string, number>} */
  const rooms = new Map();
  return (/** @type {import("./columns.js").Column} */ column) => {
    const room = rooms.get(column.id) ?? fractionRoom(rows.map(column.value));
    rooms.set(column.id, room);
    return room;
  };
});

/** Runs that may share the best value of a metric: of more, none is marked. */
const MAX_TIED = 3;

/** The best value of each metric; NaN if fewer than two runs have the metric, or too many have that value. */
export const bestValues = computed(() => {
  const best = (/** @type {string} */ tag) => {
    const goal = bestOf(tag);
    const read = runColumns.of(goal, tag);
    const values = keptRows.value.map(({ run }) => read(run)).filter((value) => typeof value === "number");
    if (values.length < 2 || !isBestKnown(tag)) return NaN;
    const value = values.reduce((a, b) => Math[goal](a, b));
    const tied = values.filter((other) => other === value).length;
    return tied <= MAX_TIED && tied < values.length ? value : NaN;
  };
  return new Map(metrics.value.map((tag) => [tag, best(tag)]));
});
