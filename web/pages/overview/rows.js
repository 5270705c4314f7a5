// The rows of the table of runs: filtered, sorted, grouped; and what is computed over all of them.

import { computed } from "@preact/signals-core";
import { nameOf } from "../../controls/run_row.js";
import { groupRows, meanOf, naturalKey, sortRows } from "../../controls/table_rows.js";
import { runs } from "../../data/catalogue.js";
import { awayRuns, noteOf } from "../../data/notes.js";
import { filterOf } from "../../data/regex_filter.js";
import { metrics, tableFacts } from "../../data/run_table.js";
import { keepsRun } from "../../data/runs.js";
import { valueFilter } from "../../data/value_filter.js";
import { columnFormat } from "../../i18n/numbers.js";
import { allColumns } from "./columns.js";
import { bestOf, closed, filters, grouping, sorting } from "./settings.js";

/** @typedef {import("./columns.js").Row} Row */
/** A line of the table. @typedef {{group: RowGroup} | {row: Row}} Line */
/** @typedef {import("../../controls/table_rows.js").Group<Row> & {key: string, isOpen: boolean}} RowGroup */

/** Runs that only hold the hyperparameters of another one are part of that one's row.
 * @param {import("../../data/replies.js").RunRow} listed */
const isFolded = (listed) => listed.parent !== null && !listed.plugins.scalar;

/** Every run that the run filter keeps. */
const listedRows = computed(() => {
  const told = tableFacts.told.value;
  const away = awayRuns.value;
  const kept = runs.value.filter((listed) => keepsRun.value(listed.run) && !away.has(listed.run) && !isFolded(listed));
  return kept.map((listed) => ({
    run: listed.run,
    name: nameOf(listed.run),
    listed,
    facts: told.get(listed.run),
    note: noteOf(listed.run),
  }));
});

/** How many runs there would be without filters of values. */
export const rowCount = computed(() => listedRows.value.length);

/** What each filter means, by column. */
export const filterRules = computed(() => {
  const rules = [...filters.value].map(
    ([id, text]) => /** @type {const} */ ([id, valueFilter(text, allColumns.value.get(id)?.kind ?? "text")]),
  );
  return new Map(rules);
});

export const keptRows = computed(() => {
  const rules = [...filterRules.value].flatMap(([id, rule]) => {
    const column = allColumns.value.get(id);
    return column ? [{ value: column.value, keeps: rule.keeps }] : [];
  });
  return rules.length
    ? listedRows.value.filter((row) => rules.every(({ value, keeps }) => keeps(value(row))))
    : listedRows.value;
});

const sortedRows = computed(() => {
  const columns = sorting.value.flatMap(({ id, down }) => {
    const value = id === "name" ? (/** @type {Row} */ row) => row.name : allColumns.value.get(id)?.value;
    return value ? [{ value, down }] : [];
  });
  return sortRows(keptRows.value, columns);
});

/** Why the expression that groups by name is broken; null when it is not. */
export const groupingError = computed(() =>
  grouping.value.startsWith("regex:") ? filterOf(grouping.value.slice(6)).error : null,
);

/** The group a run belongs to; null = none. */
const groupOf = computed(() => {
  const by = grouping.value;
  if (by.startsWith("regex:")) return groupOfName(by.slice(6));
  const column = allColumns.value.get(by);
  return column ? (/** @type {Row} */ row) => textOf(column.value(row)) : null;
});

/** @param {import("../../data/value_filter.js").Value} value */
const textOf = (value) => (value === null || value === "" ? null : String(value));

/** The first capture, or the whole match. @param {string} pattern */
function groupOfName(pattern) {
  if (!pattern || filterOf(pattern).error) return null;
  const expression = new RegExp(pattern, "i");
  return (/** @type {Row} */ { run }) => {
    const found = expression.exec(run);
    return (found && (found[1] ?? found[0])) || null;
  };
}

/** Groups in the order of their mean in the column that sorts, or of their names; null = not grouped. */
const groups = computed(() => {
  const of = groupOf.value;
  if (!of) return null;
  const first = sorting.value[0];
  const column = first && allColumns.value.get(first.id);
  const found = groupRows(sortedRows.value, of);
  if (column && column.kind !== "text")
    return inOrder(found, ({ rows }) => meanOf(rows.map(column.value))?.mean ?? null, first.down);
  return inOrder(
    found,
    ({ name }) => (name !== null && !Number.isNaN(Number(name)) ? Number(name) : name && naturalKey(name)),
    false,
  );
});

/** @typedef {import("../../controls/table_rows.js").Group<Row>} Group */
/** @param {Group[]} found @param {(group: Group) => import("../../data/value_filter.js").Value} value @param {boolean} down */
const inOrder = (found, value, down) => {
  const named = found.filter(({ name }) => name !== null);
  return [...sortRows(named, [{ value, down }]), ...found.filter(({ name }) => name === null)];
};

/** What the group of the runs without one is called in the address. */
const NO_GROUP = "-";

/** The table's lines from top to bottom. @type {import("@preact/signals-core").ReadonlySignal<readonly Line[]>} */
export const lines = computed(() => {
  if (!groups.value) return sortedRows.value.map((row) => ({ row }));
  return groups.value.flatMap((group) => {
    const key = group.name ?? NO_GROUP;
    const isOpen = !closed.value.has(key);
    return [{ group: { ...group, key, isOpen } }, ...(isOpen ? group.rows.map((row) => ({ row })) : [])];
  });
});

/** What is known of the listed runs of one metric. @param {string} tag @param {readonly Row[]} rows */
const metricOf = (tag, rows) => rows.flatMap(({ facts }) => facts?.metrics[tag] ?? []);

/** How the values of each metric are written. */
export const formats = computed(() => {
  const values = (/** @type {string} */ tag) =>
    metricOf(tag, listedRows.value).flatMap((metric) => [Number(metric.last), metric[bestOf(tag)]?.value ?? NaN]);
  return new Map(metrics.value.map((tag) => [tag, columnFormat(values(tag))]));
});

/** The best value of all rows by metric; none where there is nothing to compare it with. */
export const bestValues = computed(() => {
  const best = (/** @type {string} */ tag) => {
    const goal = bestOf(tag);
    const values = metricOf(tag, keptRows.value).flatMap((metric) => metric[goal]?.value ?? []);
    return values.length > 1 ? values.reduce((one, other) => Math[goal](one, other)) : NaN;
  };
  return new Map(metrics.value.map((tag) => [tag, best(tag)]));
});
