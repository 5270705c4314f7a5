// The columns of the table of runs: what each says of a run, how it is written, what it is filtered as.

import { computed } from "@preact/signals-core";
import { runs } from "../../data/catalogue.js";
import { naturally } from "../../data/natural_order.js";
import { noteTags } from "../../data/notes.js";
import { metrics, tableFacts } from "../../data/run_table.js";
import { bestOf, chosenColumns } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("../../data/value_filter.js").Value} Value */

/** A run with all that is known of it.
 * @typedef {object} Row
 * @property {string} run
 * @property {string} name as it is shown
 * @property {import("../../data/replies.js").RunRow} listed
 * @property {import("../../data/run_table_client.js").OverviewRun | undefined} facts undefined until they come
 * @property {import("../../data/notes_client.js").Note} note
 */

/** How a cell is drawn. @typedef {"state" | "time" | "duration" | "count" | "tags" | "note" | "bad" | "damage" | "plain" | "metric" | "sparkline"} Look */

/** @typedef {object} Column
 * @property {string} id
 * @property {string} group what neighbouring columns have in common
 * @property {string} label
 * @property {import("../../data/value_filter.js").ValueKind} kind
 * @property {number} width in pixels
 * @property {(row: Row) => Value} value what it is sorted, filtered and averaged by
 * @property {Look} look
 * @property {string} [metric] the tag it tells of
 * @property {boolean} [downFirst] the first click sorts downwards
 * @property {boolean} [isDrawing] not to be sorted or filtered
 */

/** Hyperparameters that are columns when nobody has chosen any. */
const USUAL_PARAMETERS = 10;

/** @param {string} id @param {import("../../data/value_filter.js").ValueKind} kind @param {number} width @param {Column["value"]} value @param {Look} look
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
  own("state", "text", 92, (row) => row.facts?.state ?? (row.listed.live ? "live" : "finished"), "state"),
  { ...own("started", "time", 128, (row) => row.listed.started, "time"), downFirst: true },
  { ...own("updated", "time", 128, (row) => row.listed.updated, "time"), downFirst: true },
  { ...own("duration", "duration", 88, durationOf, "duration"), downFirst: true },
  { ...own("steps", "number", 84, (row) => row.listed.last_step, "count"), downFirst: true },
  own("tags", "text", 140, (row) => row.note.tags.join(", ") || null, "tags"),
  own("note", "text", 180, (row) => row.note.note.split("\n")[0] || null, "note"),
  own("bad", "number", 104, (row) => row.facts?.first_bad?.step ?? null, "bad"),
  { ...own("damaged", "number", 84, (row) => row.listed.damaged_records || null, "damage"), downFirst: true },
  own("ranks", "number", 68, (row) => row.listed.ranks.length, "plain"),
  own("attempts", "number", 80, (row) => row.listed.attempts, "plain"),
  own("dialect", "text", 104, (row) => (row.listed.dialect === "mindspore" ? "MindSpore" : "TensorBoard"), "plain"),
];

/** @param {Row} row */
const durationOf = ({ listed: { started, updated } }) =>
  started === null || updated === null ? null : updated - started;

/** The ids of a metric's columns. @param {string} tag */
export const metricColumnIds = (tag) => [`line:${tag}`, `last:${tag}`, `best:${tag}`];

/** @param {string} tag @returns {Column[]} */
function metricColumns(tag) {
  const [line, last, best] = metricColumnIds(tag);
  const shared = { group: tag, metric: tag, kind: /** @type {const} */ ("number") };
  const goal = bestOf(tag);
  const downFirst = goal === "max";
  return [
    {
      ...shared,
      id: line,
      label: t("overview.col_line"),
      width: 104,
      value: () => null,
      look: "sparkline",
      isDrawing: true,
    },
    {
      ...shared,
      id: last,
      label: t("overview.col_last"),
      width: 100,
      value: (row) => numberOf(row.facts?.metrics[tag]?.last),
      look: "metric",
      downFirst,
    },
    {
      ...shared,
      id: best,
      label: t(`overview.col_${goal}`),
      width: 104,
      value: (row) => row.facts?.metrics[tag]?.[goal]?.value ?? null,
      look: "metric",
      downFirst,
    },
  ];
}

/** @param {number | string | undefined} value "NaN" and the infinities are what Number makes of them */
const numberOf = (value) => (value === undefined ? null : Number(value));

/** @param {string} name @param {boolean} isNumber @returns {Column} */
const parameterColumn = (name, isNumber) => ({
  id: `param:${name}`,
  group: t("overview.parameters"),
  label: name,
  kind: isNumber ? "number" : "text",
  width: Math.min(180, Math.max(76, 26 + name.length * 7)),
  value: (row) => row.facts?.hyper_parameters[name] ?? null,
  look: "plain",
});

/** @typedef {{isNumber: boolean, values: Set<unknown>, runs: number}} Parameter values: the first few; runs: how many have it */

/** The hyperparameters that runs have, by name. */
export const parameters = computed(() => {
  /** @type {Map<string, Parameter>} */
  const found = new Map();
  for (const { hyper_parameters: told } of tableFacts.told.value.values()) {
    for (const name in told) {
      const parameter = found.get(name) ?? { isNumber: true, values: new Set(), runs: 0 };
      found.set(name, parameter);
      parameter.runs++;
      if (typeof told[name] !== "number") parameter.isNumber = false;
      if (parameter.values.size < 2) parameter.values.add(told[name]);
    }
  }
  return new Map([...found].sort(([one], [other]) => naturally(one, other)));
});

/** Every column there is, by id, in the order in which the list of columns has them. */
export const allColumns = computed(() => {
  const columns = [...ownColumns(), ...metrics.value.flatMap(metricColumns)];
  for (const [name, { isNumber }] of parameters.value) columns.push(parameterColumn(name, isNumber));
  return new Map(columns.map((column) => [column.id, column]));
});

/** What is shown when nobody has chosen: what tells runs apart. */
const usualIds = computed(() => {
  const count = tableFacts.told.value.size;
  const telling = [...parameters.value].filter(
    ([, { values, runs: having }]) => values.size > 1 || having < count || count === 1,
  );
  const varying = telling
    .sort(([, one], [, other]) => other.values.size - one.values.size || other.runs - one.runs)
    .slice(0, USUAL_PARAMETERS);
  const damaged = runs.value.some((row) => row.damaged_records) ? ["damaged"] : [];
  const bad = [...tableFacts.told.value.values()].some((row) => row.first_bad) ? ["bad"] : [];
  const tagged = noteTags.value.length ? ["tags"] : [];
  return [
    "state",
    ...bad,
    ...damaged,
    ...tagged,
    ...metrics.value.flatMap(metricColumnIds),
    ...varying.map(([name]) => `param:${name}`),
    "steps",
    "duration",
    "started",
  ];
});

export const shownIds = computed(() =>
  (chosenColumns.value ?? usualIds.value).filter((id) => allColumns.value.has(id)),
);
export const shownColumns = computed(() =>
  shownIds.value.map((id) => /** @type {Column} */ (allColumns.value.get(id))),
);
