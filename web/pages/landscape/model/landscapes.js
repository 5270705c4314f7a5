// Loss landscapes of the visible runs: available, selected and loaded.

import { computed, effect } from "@preact/signals-core";
import { QueryMap } from "../../../data/client/query_map.js";
import { stopAll } from "../../../data/client/stop_all.js";
import { readLandscape, readLineageOf } from "../../../data/kinds/landscapes.js";
import { runs, runsByName } from "../../../data/runs/catalogue.js";
import { drawnRuns } from "../../../data/runs/runs.js";
import { listTags } from "../../../data/tags/listing_client.js";
import { compareNatural } from "../../../data/text/natural_order.js";
import { parseList, printList } from "../../../data/view/address_lists.js";
import { set, setting } from "../../../data/view/view.js";
import { landscapeOf } from "./landscape.js";

/** @typedef {import("./landscape.js").Landscape} Landscape */
/** @typedef {{run: string, tag: string}} Choice */

/** More landscapes side by side are too small to read, and more paths on one plane too many. */
const MAX_SHOWN = 3;
const MAX_JOINT = 8;
/** The value of `land.compare` for no comparison, not even with the other runs of a joint landscape. */
const NONE = "none";
/** More runs with landscapes are not listed. */
const MAX_RUNS = 100;

/** @param {Choice} choice */
export const keyOf = ({ run, tag }) => JSON.stringify([run, tag]);

const runsWithLandscapes = computed(() => {
  const drawn = new Set(drawnRuns.value);
  return runs.value.filter((row) => drawn.has(row.run) && row.plugins.landscape).slice(0, MAX_RUNS);
});

/** @typedef {{run: string, tag: string, points: number, updated: number}} TagRow */

const LIST = "list";
/** @type {QueryMap<TagRow[]>} */
const tagRows = new QueryMap(async (_key, signal) => {
  const names = runsWithLandscapes.peek().map((row) => row.run);
  const { tags } = names.length ? await listTags(["landscape"], names, signal) : { tags: [] };
  return tags.map(({ run = "", tag, points = 0, updated = 0 }) => ({ run, tag, points, updated: Number(updated) }));
});

/** null until the first list arrives. */
const rows = computed(() => tagRows.values.value.get(LIST) ?? null);
export const listFailure = tagRows.error;
export const isListed = computed(() => rows.value !== null);

/** Landscapes by run, in start order; within a run, newest last.
 * @type {import("@preact/signals-core").ReadonlySignal<Map<string, TagRow[]>>} */
export const available = computed(() => {
  const byRun = Map.groupBy(rows.value ?? [], (row) => row.run);
  const inOrder = runsWithLandscapes.value.filter((row) => byRun.has(row.run)).map((row) => row.run);
  const byAge = (/** @type {TagRow} */ a, /** @type {TagRow} */ b) =>
    a.updated - b.updated || compareNatural(a.tag, b.tag);
  return new Map(inOrder.map((run) => [run, /** @type {TagRow[]} */ (byRun.get(run)).toSorted(byAge)]));
});

const runChosen = setting("land.run", "");
const tagChosen = setting("land.tag", "");
const compared = setting("land.compare", /** @type {string} */ (""));
const publicationChosen = setting("land.publication", "");

/** Tests for a landscape on a plane through the checkpoints of several runs. Each of these runs has it, with its own
 * path.
 * @param {string} tag */
export const isJoint = (tag) => tag.startsWith("joint_");

/** The landscapes to show, the selected one first. @type {import("@preact/signals-core").ReadonlySignal<Choice[]>} */
export const shown = computed(() => {
  const all = available.value;
  const run = all.has(runChosen.value) ? runChosen.value : ([...all.keys()].at(-1) ?? "");
  const tags = all.get(run);
  if (!tags) return [];
  const first = { run, tag: tags.find(({ tag }) => tag === tagChosen.value)?.tag ?? defaultTag(tags) };
  const others = compared.value || !isJoint(first.tag) ? comparedChoices.value : partnersOf(first);
  const choices = new Map(
    [first, ...others.filter((choice) => all.get(choice.run)?.some(({ tag }) => tag === choice.tag))].map((choice) => [
      keyOf(choice),
      choice,
    ]),
  );
  return [...choices.values()].slice(0, mostShown(first));
});

/** @param {Choice} first */
const mostShown = ({ tag }) => (isJoint(tag) ? MAX_JOINT : MAX_SHOWN);
/** Can another landscape be added? */
export const canAdd = computed(() => shown.value.length > 0 && shown.value.length < mostShown(shown.value[0]));

/** The landscapes of the same tag in other runs, or else their newest joint ones. @param {Choice} first
 * @returns {Choice[]} */
const partnersOf = (first) =>
  [...available.value].flatMap(([run, rows]) => {
    const partner = rows.find(({ tag }) => tag === first.tag) ?? rows.findLast(({ tag }) => isJoint(tag));
    return partner && run !== first.run ? [{ run, tag: partner.tag }] : [];
  });

/** The compared landscapes, from the URL.
 * @type {import("@preact/signals-core").ReadonlySignal<Choice[]>} */
const comparedChoices = computed(() => {
  const parts = parseList(compared.value);
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, place) => ({
    run: parts[2 * place],
    tag: parts[2 * place + 1],
  }));
});

/** Prefers the newest landscape over an interval, which has a path, to the one around the final model. MindSpore
 * tags the latter with a single epoch.
 * @param {TagRow[]} tags */
const defaultTag = (tags) => (tags.findLast(({ tag }) => /,/.test(tag)) ?? /** @type {TagRow} */ (tags.at(-1))).tag;

/** @param {Choice} choice */
export const show = ({ run, tag }) =>
  set({
    "land.run": run,
    "land.tag": tag,
    "land.zoom": "",
    "land.publication": "",
    "land.pin": "",
    ...(compared.peek() === NONE ? { "land.compare": "" } : {}),
  });
/** @param {Choice} choice */
export const compare = (choice) => setCompared([...shown.peek().slice(1), choice]);
/** @param {Choice} choice */
export function removeLandscape(choice) {
  const [first, ...others] = shown.peek().filter((shownChoice) => keyOf(shownChoice) !== keyOf(choice));
  if (!first) return;
  if (keyOf(first) !== keyOf(shown.peek()[0])) show(first);
  setCompared(others);
}
/** @param {Choice[]} choices */
const setCompared = (choices) =>
  set({
    "land.compare":
      printList(choices.flatMap(({ run, tag }) => [run, tag])) ||
      (shown.peek().some(({ tag }) => isJoint(tag)) ? NONE : ""),
    "land.zoom": "",
  });

/** The selected older publication of the first landscape; null = the newest. */
export const publication = computed(() =>
  /^\d{1,9}$/.test(publicationChosen.value) ? Number(publicationChosen.value) : null,
);
/** @param {number | null} which */
export const showPublication = (which) => set({ "land.publication": which === null ? "" : String(which) });

/** @param {string} key @returns {number | null} */
const publicationOf = (key) => (shown.peek().length && keyOf(shown.peek()[0]) === key ? publication.peek() : null);

/** @type {QueryMap<Landscape | null>} */
const loaded = new QueryMap(async (key, signal) => {
  const [run, tag] = JSON.parse(key);
  const response = await readLandscape(run, tag, publicationOf(key), signal);
  return response && landscapeOf(response.reply, response.losses);
});

export const failure = loaded.error;
export function retry() {
  tagRows.invalidate();
  loaded.invalidate();
}

/** The landscapes to show, as far as they are loaded.
 * @type {import("@preact/signals-core").ReadonlySignal<Array<{choice: Choice, landscape: Landscape | null}>>} */
export const landscapes = computed(() =>
  shown.value.map((choice) => ({ choice, landscape: loaded.values.value.get(keyOf(choice)) ?? null })),
);

/** @type {QueryMap<import("../../../data/kinds/landscapes.js").LineageRow | null>} */
const lineages = new QueryMap(readLineageOf);
/** @param {string} run */
export const lineageOf = (run) => lineages.values.value.get(run) ?? null;

/** A string, so that effects run only if the names change. */
const shownNames = computed(() => JSON.stringify([...new Set(shown.value.map(({ run }) => run))]));
/** @type {import("@preact/signals-core").ReadonlySignal<string[]>} */
export const shownRuns = computed(() => JSON.parse(shownNames.value));

/** Builds the stamps of a QueryMap from the shown runs. @param {(run: string) => [key: string, stamp: unknown]}
 * entry */
export const ofShownRuns = (entry) =>
  new Map(shownRuns.value.map(entry).map(([key, stamp]) => [key, JSON.stringify(stamp)]));

/** Loads the shown landscapes, and again when they change, until the returned function is called. */
export function followLandscapes() {
  const row = (/** @type {string} */ run) => runsByName.value.get(run);
  const rowOf = (/** @type {Choice} */ choice) =>
    available.value.get(choice.run)?.find(({ tag }) => tag === choice.tag);
  const stamps = computed(
    () =>
      new Map(
        shown.value.map((choice, place) => [
          keyOf(choice),
          JSON.stringify([rowOf(choice), place === 0 ? publication.value : null]),
        ]),
      ),
  );
  return stopAll([
    effect(() =>
      tagRows.follow(
        runs.value.length
          ? new Map([
              [
                LIST,
                JSON.stringify(
                  runsWithLandscapes.value.map(({ run, updated, plugins }) => [run, updated, plugins.landscape]),
                ),
              ],
            ])
          : new Map(),
      ),
    ),
    effect(() => loaded.follow(stamps.value)),
    effect(() => lineages.follow(ofShownRuns((run) => [run, [row(run)?.plugins, row(run)?.state]]))),
  ]);
}
