// Loss landscapes of the drawn runs: which there are, which are shown, and what of them has come.

import { computed, effect } from "@preact/signals-core";
import { parseList, printList } from "../../../data/address_lists.js";
import { runs, runsByName } from "../../../data/catalogue.js";
import { readLandscape, readLineageOf } from "../../../data/landscapes.js";
import { listTags } from "../../../data/listing_client.js";
import { compareNatural } from "../../../data/natural_order.js";
import { QueryMap } from "../../../data/query_map.js";
import { drawnRuns } from "../../../data/runs.js";
import { stopAll } from "../../../data/stop_all.js";
import { set, setting } from "../../../data/view.js";
import { landscapeOf } from "./landscape.js";

/** @typedef {import("./landscape.js").Landscape} Landscape */
/** @typedef {{run: string, tag: string}} Choice */

/** More side by side are too small to be read, and more paths on one plane too many. */
const MOST_SHOWN = 3;
const MOST_JOINT = 8;
/** What nobody is called: not even its partners are beside a landscape. */
const NOBODY = "none";
/** More runs with landscapes than these are not offered. */
const MOST_RUNS = 100;

/** @param {Choice} choice */
export const keyOf = ({ run, tag }) => JSON.stringify([run, tag]);

const having = computed(() => {
  const drawn = new Set(drawnRuns.value);
  return runs.value.filter((row) => drawn.has(row.run) && row.plugins.landscape).slice(0, MOST_RUNS);
});

/** @typedef {{run: string, tag: string, points: number, updated: number}} TagRow */

const LIST = "list";
/** @type {QueryMap<TagRow[]>} */
const tagRows = new QueryMap(async (_key, signal) => {
  const names = having.peek().map((row) => row.run);
  const { tags } = names.length ? await listTags(["landscape"], names, signal) : { tags: [] };
  return tags.map(({ run = "", tag, points = 0, updated = 0 }) => ({ run, tag, points, updated: Number(updated) }));
});

/** null before the first list. */
const rows = computed(() => tagRows.values.value.get(LIST) ?? null);
export const listFailure = tagRows.error;
export const isListed = computed(() => rows.value !== null);

/** Landscapes by run, in start order; of a run the newest last.
 * @type {import("@preact/signals-core").ReadonlySignal<Map<string, TagRow[]>>} */
export const offered = computed(() => {
  const byRun = Map.groupBy(rows.value ?? [], (row) => row.run);
  const inOrder = having.value.filter((row) => byRun.has(row.run)).map((row) => row.run);
  const older = (/** @type {TagRow} */ one, /** @type {TagRow} */ other) =>
    one.updated - other.updated || compareNatural(one.tag, other.tag);
  return new Map(inOrder.map((run) => [run, /** @type {TagRow[]} */ (byRun.get(run)).toSorted(older)]));
});

const runChosen = setting("land.run", "");
const tagChosen = setting("land.tag", "");
const compared = setting("land.compare", /** @type {string} */ (""));
const publicationChosen = setting("land.publication", "");

/** Is it the landscape of a plane through the checkpoints of several runs? Each of them has it, with its own path.
 * @param {string} tag */
export const isJoint = (tag) => tag.startsWith("joint_");

/** What is shown, the chosen one first. @type {import("@preact/signals-core").ReadonlySignal<Choice[]>} */
export const shown = computed(() => {
  const all = offered.value;
  const run = all.has(runChosen.value) ? runChosen.value : ([...all.keys()].at(-1) ?? "");
  const tags = all.get(run);
  if (!tags) return [];
  const first = { run, tag: tags.find(({ tag }) => tag === tagChosen.value)?.tag ?? usualOf(tags) };
  const others = compared.value || !isJoint(first.tag) ? beside.value : partnersOf(first);
  const wanted = new Map(
    [first, ...others.filter((choice) => all.get(choice.run)?.some(({ tag }) => tag === choice.tag))].map((choice) => [
      keyOf(choice),
      choice,
    ]),
  );
  return [...wanted.values()].slice(0, mostBeside(first));
});

/** @param {Choice} first */
const mostBeside = ({ tag }) => (isJoint(tag) ? MOST_JOINT : MOST_SHOWN);
/** Is there room for one more? */
export const hasRoom = computed(() => shown.value.length > 0 && shown.value.length < mostBeside(shown.value[0]));

/** The landscapes of the same name in other runs, or else their newest that are joint. @param {Choice} first
 * @returns {Choice[]} */
const partnersOf = (first) =>
  [...offered.value].flatMap(([run, rows]) => {
    const partner = rows.find(({ tag }) => tag === first.tag) ?? rows.findLast(({ tag }) => isJoint(tag));
    return partner && run !== first.run ? [{ run, tag: partner.tag }] : [];
  });

/** Those beside the chosen one, as the address has them.
 * @type {import("@preact/signals-core").ReadonlySignal<Choice[]>} */
const beside = computed(() => {
  const parts = parseList(compared.value);
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, place) => ({
    run: parts[2 * place],
    tag: parts[2 * place + 1],
  }));
});

/** One with a path tells more than the one around its end: MindSpore names that one after a single epoch.
 * @param {TagRow[]} tags */
const usualOf = (tags) => (tags.findLast(({ tag }) => /,/.test(tag)) ?? /** @type {TagRow} */ (tags.at(-1))).tag;

/** @param {Choice} choice */
export const show = ({ run, tag }) =>
  set({
    "land.run": run,
    "land.tag": tag,
    "land.zoom": "",
    "land.publication": "",
    "land.pin": "",
    ...(compared.peek() === NOBODY ? { "land.compare": "" } : {}),
  });
/** @param {Choice} choice */
export const compare = (choice) => setBeside([...shown.peek().slice(1), choice]);
/** @param {Choice} choice */
export function leaveOut(choice) {
  const [first, ...others] = shown.peek().filter((one) => keyOf(one) !== keyOf(choice));
  if (!first) return;
  if (keyOf(first) !== keyOf(shown.peek()[0])) show(first);
  setBeside(others);
}
/** @param {Choice[]} choices */
const setBeside = (choices) =>
  set({
    "land.compare":
      printList(choices.flatMap(({ run, tag }) => [run, tag])) ||
      (shown.peek().some(({ tag }) => isJoint(tag)) ? NOBODY : ""),
    "land.zoom": "",
  });

/** Of the first landscape an older publication; null = the newest, of it and of all others. */
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
  const came = await readLandscape(run, tag, publicationOf(key), signal);
  return came && landscapeOf(came.reply, came.losses);
});

export const failure = loaded.error;
export function retry() {
  tagRows.invalidate();
  loaded.invalidate();
}

/** What has come of what is shown.
 * @type {import("@preact/signals-core").ReadonlySignal<Array<{choice: Choice, landscape: Landscape | null}>>} */
export const landscapes = computed(() =>
  shown.value.map((choice) => ({ choice, landscape: loaded.values.value.get(keyOf(choice)) ?? null })),
);

/** @type {QueryMap<import("../../../data/landscapes.js").LineageRow | null>} */
const lineages = new QueryMap(readLineageOf);
/** @param {string} run */
export const lineageOf = (run) => lineages.values.value.get(run) ?? null;

/** Told only when they change. */
const shownNames = computed(() => JSON.stringify([...new Set(shown.value.map(({ run }) => run))]));
/** @type {import("@preact/signals-core").ReadonlySignal<string[]>} */
export const shownRuns = computed(() => JSON.parse(shownNames.value));

/** What is wanted of each shown run. @param {(run: string) => [key: string, stamp: unknown]} entry */
export const ofShownRuns = (entry) =>
  new Map(shownRuns.value.map(entry).map(([key, stamp]) => [key, JSON.stringify(stamp)]));

/** Asks for what is shown, and again when it changes, until the returned function is called. */
export function followLandscapes() {
  const row = (/** @type {string} */ run) => runsByName.value.get(run);
  const rowOf = (/** @type {Choice} */ choice) => offered.value.get(choice.run)?.find(({ tag }) => tag === choice.tag);
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
                JSON.stringify(having.value.map(({ run, updated, plugins }) => [run, updated, plugins.landscape])),
              ],
            ])
          : new Map(),
      ),
    ),
    effect(() => loaded.follow(stamps.value)),
    effect(() => lineages.follow(ofShownRuns((run) => [run, [row(run)?.plugins, row(run)?.live]]))),
  ]);
}
