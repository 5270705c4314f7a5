// What the page of embeddings shows: which embedding, its points and their metadata, and which points stand out.

import { computed, effect, signal } from "@preact/signals-core";
import { Query } from "../../data/client/query.js";
import { stopAll } from "../../data/client/stop_all.js";
import { changes, versionOf } from "../../data/runs/run_versions.js";
import { PluginTags } from "../../data/tags/plugin_tags.js";
import { listEmbeddings, pathOf, readColumn, readJson, readProjection, readReduction } from "./client.js";
import { aligned } from "./model/positions.js";
import {
  chosenName,
  chosenRow,
  chosenRun,
  chosenStep,
  colourColumn,
  dimensions,
  labelColumn,
  method,
  metric,
  NONE,
  seed,
} from "./settings.js";

/** @typedef {import("./client.js").Place} Place */
/** @typedef {import("./client.js").Projection} Projection */
/** @typedef {import("./client.js").Neighbours} Neighbours */
/** @typedef {import("./client.js").Point} Point */

const NEIGHBOURS = 20;
/** Points that are labelled at a time. */
const MAX_LABELS = 40;

export const tags = new PluginTags("projector");

/** The embeddings of the visible runs. */
export const choices = computed(() => (tags.rows.value ?? []).map(({ run, tag }) => ({ run, name: tag })));
/** The one that is shown; null if there is none. */
export const chosen = computed(
  () =>
    choices.value.find(({ run, name }) => run === chosenRun.value && name === chosenName.value) ??
    choices.value.find(({ run }) => run === chosenRun.value) ??
    choices.value[0] ??
    null,
);

const list = new Query((run, signal) => listEmbeddings(run, signal));
/** The steps of the shown embedding. */
export const steps = computed(
  () =>
    (list.value.value?.run === chosen.value?.run &&
      list.value.value?.embeddings.find(({ name }) => name === chosen.value?.name)?.steps) ||
    [],
);
/** @type {import("@preact/signals-core").ReadonlySignal<Place | null>} */
const place = computed(() => {
  const all = steps.value;
  if (!chosen.value || !all.length) return null;
  const wanted = chosenStep.value;
  const step = wanted === null ? undefined : all.findLast((each) => each <= wanted);
  return { ...chosen.value, step: step ?? (wanted === null ? all[all.length - 1] : all[0]) };
});

/** A projection and what it was requested for. @typedef {Projection & {place: Place, how: string}} Shown */
const projection = new Query(async (key, signal) => {
  const { at, ...how } = JSON.parse(key);
  progress.value = null;
  const reply =
    how.method === "pca"
      ? await readProjection(pathOf("projection", at, { components: how.components }), signal)
      : await readReduction({ ...at, ...how }, signal, (share) => (progress.value = share));
  return { ...reply, place: at, how: howText(how) };
});
/** The share of the reduction that is computed; null while none is. @type {import("@preact/signals-core").Signal<number | null>} */
export const progress = signal(null);
/** How positions are computed. @param {{method: string, components: number, seed: number}} how */
const howText = ({ method: name, components, seed: number }) => [name, components, name === "pca" ? 0 : number].join();
const how = computed(() => ({ method: method.value, components: Number(dimensions.value), seed: seed.value }));
export const failure = computed(() => list.error.value ?? projection.error.value ?? tags.error.value);
export const isWaiting = computed(() => {
  const at = place.value;
  const { place: of, how: shownHow } = projection.value.value ?? {};
  if (!at || failure.value) return false;
  const isThere = of && of.run === at.run && of.name === at.name && of.step === at.step;
  return !(isThere && shownHow === howText(how.value));
});
/** The projection of the shown embedding: the one before until it arrives, if it is of another step.
 * @type {import("@preact/signals-core").ReadonlySignal<Shown | null>} */
export const shown = computed(() => {
  const reply = projection.value.value;
  const at = chosen.value;
  return reply && at && reply.place.run === at.run && reply.place.name === at.name ? reply : null;
});

/** The axes that are drawn, mirrored so that points move little from step to step. */
/** @type {Float32Array[]} */
let before = [];
export const axes = computed(() => {
  const reply = shown.value;
  if (!reply) return null;
  before = aligned(reply.axes, before);
  return before;
});

/** The numbers of the columns of colours and labels; -1 = none. */
export const colourNumber = computed(() => numberOf(colourColumn.value, 0));
export const labelNumber = computed(() => numberOf(labelColumn.value, 0));

/** @param {string} name @param {number} automatic */
function numberOf(name, automatic) {
  const columns = shown.value?.columns ?? [];
  if (name === NONE || !columns.length) return -1;
  return columns.includes(name) ? columns.indexOf(name) : automatic;
}

const column = new Query(async (path, signal) => ({ ...(await readColumn(path, signal)), path }));
const columnPath = computed(() => {
  const reply = shown.value;
  return reply && colourNumber.value >= 0 ? pathOf("column", reply.place, { column: colourNumber.value }) : null;
});
/** The column of the colours; null if there is none yet. */
export const colouring = computed(() => (column.value.value?.path === columnPath.value ? column.value.value : null));

const neighbourQuery = new Query(async (path, signal) => ({ ...(await readJson(path, signal)), path }));
const neighbourPath = computed(() => {
  const [reply, row] = [shown.value, chosenRow.value];
  return reply && row !== null
    ? pathOf("neighbours", reply.place, { row, count: NEIGHBOURS, metric: metric.value })
    : null;
});
/** The chosen point and its neighbours. @type {import("@preact/signals-core").ReadonlySignal<Neighbours | null>} */
export const neighbours = computed(() =>
  neighbourPath.value && neighbourQuery.value.value?.row === chosenRow.value ? neighbourQuery.value.value : null,
);
export const neighbourFailure = neighbourQuery.error;

/** The text that is searched in the metadata. */
export const searched = signal("");
const search = new Query((path, signal) => readJson(path, signal));
const searchPath = computed(() =>
  shown.value && searched.value.trim() ? pathOf("search", shown.value.place, { text: searched.value.trim() }) : null,
);
/** @type {import("@preact/signals-core").ReadonlySignal<{rows: number[], total: number} | null>} */
export const found = computed(() => (searchPath.value ? search.value.value : null));

/** The rows that a lasso or a category has selected; null = none. @type {import("@preact/signals-core").Signal<number[] | null>} */
export const selected = signal(null);

/** The rows that stand out: the selection, or what a search found, and the chosen point with its neighbours. */
export const standing = computed(() => {
  const rows = new Set(selected.value ?? found.value?.rows ?? []);
  if (neighbours.value) for (const { row } of [neighbours.value, ...neighbours.value.neighbours]) rows.add(row);
  else if (chosenRow.value !== null) rows.add(chosenRow.value);
  return rows;
});

/** The row under the pointer; null = none. @type {import("@preact/signals-core").Signal<number | null>} */
export const pointed = signal(null);

/** The rows that have labels. */
const labelled = computed(() => {
  const near = neighbours.value;
  const rows = near ? [near.row, ...near.neighbours.map(({ row }) => row)] : [...standing.value];
  return rows.slice(0, MAX_LABELS);
});
const labelQuery = new Query((path, signal) => readJson(path, signal));
const pointQuery = new Query((path, signal) => readJson(path, signal));
/** The metadata of the labelled points. @type {import("@preact/signals-core").ReadonlySignal<Point[]>} */
export const labels = computed(() => {
  const rows = new Set(labelled.value);
  const points = /** @type {Point[]} */ (labelQuery.value.value?.points ?? []);
  return labelNumber.value < 0 ? [] : points.filter(({ row }) => rows.has(row));
});
/** The metadata of the point under the pointer. @type {import("@preact/signals-core").ReadonlySignal<Point | null>} */
export const pointedPoint = computed(() => {
  const [point] = /** @type {Point[]} */ (pointQuery.value.value?.points ?? []);
  return point && point.row === pointed.value ? point : null;
});

/** @param {Place} at @param {readonly number[]} rows */
const pointsPath = (at, rows) => `${pathOf("points", at)}${rows.map((row) => `&row=${row}`).join("")}`;

/** Follows what is chosen until the returned function is called. */
export function followEmbeddings() {
  return stopAll([
    tags.follow(),
    list.observe(() => {
      changes.value;
      const run = chosen.value?.run ?? null;
      list.select(run, run === null ? "" : String(versionOf(run)));
    }),
    projection.observe(() => {
      const key = place.value && JSON.stringify({ at: place.value, ...how.value });
      projection.select(key);
    }),
    column.observe(() => column.select(columnPath.value)),
    neighbourQuery.observe(() => neighbourQuery.select(neighbourPath.value)),
    search.observe(() => search.select(searchPath.value)),
    labelQuery.observe(() => {
      const rows = labelled.value;
      const isNeeded = shown.value?.columns.length && rows.length;
      labelQuery.select(isNeeded && shown.value ? pointsPath(shown.value.place, rows) : null);
    }),
    pointQuery.observe(() => {
      const row = pointed.value;
      pointQuery.select(row !== null && shown.value?.columns.length ? pointsPath(shown.value.place, [row]) : null);
    }),
    effect(() => {
      chosen.value;
      forget();
    }),
  ]);
}

/** Another embedding has other rows. */
function forget() {
  selected.value = null;
  pointed.value = null;
  searched.value = "";
}

/** Tries again what failed. */
export function retry() {
  list.invalidate();
  projection.invalidate();
}

/** The rows of the selection, or of what was found. */
export const rowsToSave = () => selected.peek() ?? found.peek()?.rows ?? [...standing.peek()];
