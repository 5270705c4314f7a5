// Loss landscapes of the drawn runs: which there are, which are shown, and what of them has come.

import { computed, effect, signal } from "@preact/signals-core";
import { readLandscape, readLineageOf } from "../api/landscapes.js";
import { readScalars } from "../api/client.js";
import { listTags } from "../api/listings.js";
import { numbersOf } from "../lib/landscape_grid.js";
import { stepsOf } from "../lib/landscape_path.js";
import { parseList, printList } from "../lib/lists.js";
import { naturally } from "../lib/natural_order.js";
import { seriesOf } from "../lib/series.js";
import { runs, runsByName } from "./catalogue.js";
import { drawnRuns } from "./runs.js";
import { set, setting } from "./view.js";

/** @typedef {import("../lib/landscape_path.js").Path} Path */
/** @typedef {{run: string, tag: string}} Choice */

/** @typedef {object} Landscape
 * @property {string} run
 * @property {string} tag
 * @property {number} wallTime
 * @property {string | null} error
 * @property {"interval" | "final" | null} kind
 * @property {Float64Array} x
 * @property {Float64Array} y
 * @property {Float64Array} z row by row
 * @property {Path | null} path
 * @property {[number, number, number] | null} convergence
 * @property {{decomposition: string | null, unit: string | null, step_per_epoch: number | null}} metadata
 */

/** More side by side are too small to be read. */
export const MOST_SHOWN = 3;
/** More runs with landscapes than these are not offered. */
const MOST_RUNS = 100;

/** Remembers replies by key, and asks again for those whose stamp has changed. What came stays until something newer does.
 * @template Reply */
class Replies {
  /** @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Reply>>} */
  all = signal(new Map());
  /** @type {import("@preact/signals-core").Signal<Error | null>} */
  error = signal(null);
  /** @type {ReadonlyMap<string, string>} */
  #wanted = new Map();
  /** @type {Map<string, string>} */
  #knownAt = new Map();
  /** @type {Map<string, AbortController>} */
  #asking = new Map();

  /** @param {(key: string, signal: AbortSignal) => Promise<Reply>} read */
  constructor(read) {
    this.read = read;
  }

  /** @param {ReadonlyMap<string, string>} wanted stamps by key */
  want(wanted) {
    this.#wanted = wanted;
    for (const [key, request] of this.#asking) if (!wanted.has(key)) request.abort();
    const gone = [...this.all.peek().keys()].filter((key) => !wanted.has(key));
    gone.forEach((key) => this.#knownAt.delete(key));
    if (gone.length) this.all.value = new Map([...this.all.peek()].filter(([key]) => wanted.has(key)));
    for (const [key, stamp] of wanted) if (this.#knownAt.get(key) !== stamp && !this.#asking.has(key)) this.#ask(key, stamp);
  }

  /** Asks for all of them again, if they are wanted. */
  expire() {
    this.#knownAt.clear();
    this.want(this.#wanted);
  }

  /** @param {string} key @param {string} stamp */
  async #ask(key, stamp) {
    const request = new AbortController();
    this.#asking.set(key, request);
    try {
      const reply = await this.read(key, request.signal);
      if (request.signal.aborted) return;
      this.all.value = new Map(this.all.peek()).set(key, reply);
      this.error.value = null;
    } catch (error) {
      if (!request.signal.aborted) this.error.value = /** @type {Error} */ (error);
    } finally {
      this.#asking.delete(key);
      if (!request.signal.aborted) this.#knownAt.set(key, stamp);
      if (this.#wanted.get(key) !== this.#knownAt.get(key)) this.want(this.#wanted);
    }
  }
}

/** @param {Choice} choice */
export const keyOf = ({ run, tag }) => JSON.stringify([run, tag]);

const having = computed(() => {
  const drawn = new Set(drawnRuns.value);
  return runs.value.filter((row) => drawn.has(row.run) && row.plugins.landscape).slice(0, MOST_RUNS);
});

/** @typedef {{run: string, tag: string, points: number, updated: number}} TagRow */

const LIST = "list";
/** @type {Replies<TagRow[]>} */
const tagRows = new Replies(async (_key, signal) => {
  const names = having.peek().map((row) => row.run);
  const { tags } = names.length ? await listTags(["landscape"], names, signal) : { tags: [] };
  return tags.map(({ run = "", tag, points = 0, updated = 0 }) => ({ run, tag, points, updated: Number(updated) }));
});

/** null before the first list. */
const rows = computed(() => tagRows.all.value.get(LIST) ?? null);
export const listFailure = tagRows.error;
export const isListed = computed(() => rows.value !== null);

/** Landscapes by run, in start order; of a run the newest last. @type {import("@preact/signals-core").ReadonlySignal<Map<string, TagRow[]>>} */
export const offered = computed(() => {
  const byRun = Map.groupBy(rows.value ?? [], (row) => row.run);
  const inOrder = having.value.filter((row) => byRun.has(row.run)).map((row) => row.run);
  const older = (/** @type {TagRow} */ one, /** @type {TagRow} */ other) => one.updated - other.updated || naturally(one.tag, other.tag);
  return new Map(inOrder.map((run) => [run, /** @type {TagRow[]} */ (byRun.get(run)).toSorted(older)]));
});

const runChosen = setting("land.run", "");
const tagChosen = setting("land.tag", "");
const compared = setting("land.compare", "");

/** What is shown, the chosen one first. @type {import("@preact/signals-core").ReadonlySignal<Choice[]>} */
export const shown = computed(() => {
  const all = offered.value;
  const run = all.has(runChosen.value) ? runChosen.value : ([...all.keys()].at(-1) ?? "");
  const tags = all.get(run);
  if (!tags) return [];
  const first = { run, tag: tags.find(({ tag }) => tag === tagChosen.value)?.tag ?? usualOf(tags) };
  const wanted = new Map([first, ...beside.value.filter((choice) => all.get(choice.run)?.some(({ tag }) => tag === choice.tag))].map((choice) => [keyOf(choice), choice]));
  return [...wanted.values()].slice(0, MOST_SHOWN);
});

/** Those beside the chosen one, as the address has them. @type {import("@preact/signals-core").ReadonlySignal<Choice[]>} */
const beside = computed(() => {
  const parts = parseList(compared.value);
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, place) => ({ run: parts[2 * place], tag: parts[2 * place + 1] }));
});

/** One with a path tells more than the one around its end: MindSpore names that one after a single epoch.
 * @param {TagRow[]} tags */
const usualOf = (tags) => (tags.findLast(({ tag }) => /,/.test(tag)) ?? /** @type {TagRow} */ (tags.at(-1))).tag;

/** @param {Choice} choice */
export const show = ({ run, tag }) => set({ "land.run": run, "land.tag": tag, "land.zoom": "" });
/** @param {Choice} choice */
export const compare = (choice) => setBeside([...shown.peek().slice(1), choice]);
/** @param {Choice} choice */
export function leaveOut(choice) {
  const [first, ...others] = shown.peek().filter((one) => keyOf(one) !== keyOf(choice));
  if (!first) return;
  show(first);
  setBeside(others);
}
/** @param {Choice[]} choices */
const setBeside = (choices) => set({ "land.compare": printList(choices.flatMap(({ run, tag }) => [run, tag])), "land.zoom": "" });

/** @type {Replies<Landscape | null>} */
const loaded = new Replies(async (key, signal) => {
  const [run, tag] = JSON.parse(key);
  const reply = await readLandscape(run, tag, signal);
  return reply && landscapeOf(reply);
});

export const failure = loaded.error;
export const retry = () => (tagRows.expire(), loaded.expire());

/** What has come of what is shown. @type {import("@preact/signals-core").ReadonlySignal<Array<{choice: Choice, landscape: Landscape | null}>>} */
export const landscapes = computed(() => shown.value.map((choice) => ({ choice, landscape: loaded.all.value.get(keyOf(choice)) ?? null })));

/** @param {import("../api/landscapes.js").LandscapeReply} reply @returns {Landscape} */
function landscapeOf({ run, tag, wall_time: seconds, error, kind, x, y, z, path, convergence_point: end, metadata }) {
  const steps = path && stepsOf(path.intervals, metadata.unit, metadata.step_per_epoch);
  return {
    run, tag, error, kind, metadata,
    wallTime: Number(seconds),
    x: numbersOf(x),
    y: numbersOf(y),
    z: joined(z, x.length),
    path: path && { x: numbersOf(path.x), y: numbersOf(path.y), z: numbersOf(path.z), intervals: path.intervals, steps },
    convergence: end && /** @type {[number, number, number]} */ ([...numbersOf(end)]),
  };
}

/** @param {import("../api/landscapes.js").Column[]} rows @param {number} width */
function joined(rows, width) {
  const all = new Float64Array(rows.length * width);
  rows.forEach((row, at) => all.set(numbersOf(row), at * width));
  return all;
}

/** @type {Replies<import("../api/landscapes.js").LineageRow | null>} */
const lineages = new Replies(readLineageOf);
/** @param {string} run */
export const lineageOf = (run) => lineages.all.value.get(run) ?? null;

/** @type {Replies<string[]>} */
const lossTagsByRun = new Replies(async (run, signal) => (await listTags(["scalar"], [run], signal)).tags.map(({ tag }) => tag).filter((tag) => /loss/i.test(tag)));
/** Scalars of the shown runs that are called a loss, the likeliest first. */
export const lossTags = computed(() => {
  const tags = new Set(shownRuns.value.flatMap((run) => lossTagsByRun.all.value.get(run) ?? []));
  return [...tags].sort((one, other) => likeliness(one) - likeliness(other) || naturally(one, other));
});
/** @param {string} tag */
const likeliness = (tag) => (/^loss(\/auto)?$/i.test(tag) ? 0 : /train/i.test(tag) ? 1 : /val|eval|test/i.test(tag) ? 3 : 2);

const lossChosen = setting("land.loss", "");
/** "" without any. */
export const lossTag = computed(() => (lossTags.value.includes(lossChosen.value) ? lossChosen.value : (lossTags.value[0] ?? "")));

/** Points of a curve: more than there are pixels nobody sees. */
const POINTS = 1000;
/** @type {Replies<import("../lib/series.js").Series | null>} */
const curves = new Replies(async (key, signal) => {
  const [run, tag] = JSON.parse(key);
  const { series } = await readScalars({ tag: [tag], run: [run], points: POINTS }, signal);
  return series.length ? seriesOf(series[0]) : null;
});
/** The loss curves of the shown runs. */
export const lossCurves = computed(() => shownRuns.value.flatMap((run) => curves.all.value.get(keyOf({ run, tag: lossTag.value })) ?? []));

/** Told only when they change. */
const shownNames = computed(() => JSON.stringify([...new Set(shown.value.map(({ run }) => run))]));
/** @type {import("@preact/signals-core").ReadonlySignal<string[]>} */
const shownRuns = computed(() => JSON.parse(shownNames.value));

/** @param {(run: string) => [key: string, stamp: unknown]} entry */
const ofShownRuns = (entry) => new Map(shownRuns.value.map(entry).map(([key, stamp]) => [key, JSON.stringify(stamp)]));

/** Asks for what is shown, and again when it changes, until the returned function is called. */
export function followLandscapes() {
  const row = (/** @type {string} */ run) => runsByName.value.get(run);
  const stamps = computed(() => new Map(shown.value.map((choice) => [keyOf(choice), JSON.stringify(offered.value.get(choice.run)?.find(({ tag }) => tag === choice.tag))])));
  const ends = [
    effect(() => tagRows.want(runs.value.length ? new Map([[LIST, JSON.stringify(having.value.map(({ run, updated, plugins }) => [run, updated, plugins.landscape]))]]) : new Map())),
    effect(() => loaded.want(stamps.value)),
    effect(() => lineages.want(ofShownRuns((run) => [run, [row(run)?.plugins, row(run)?.live]]))),
    effect(() => lossTagsByRun.want(ofShownRuns((run) => [run, row(run)?.plugins.scalar]))),
    effect(() => curves.want(lossTag.value ? ofShownRuns((run) => [keyOf({ run, tag: lossTag.value }), row(run)?.updated]) : new Map())),
  ];
  return () => ends.forEach((end) => end());
}
