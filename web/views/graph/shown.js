// The graph that is shown: which it is, what is opened in it, and what the server says of it.

import { computed, effect, signal } from "@preact/signals-core";
import { MOST_ALSO, listGraphs, readNode, readScope, searchGraph } from "../../api/graphs.js";
import { layOut, practise, warmUp } from "../../charts/graph_layout.js";
import { isOfSeveral, keptId } from "../../lib/graph_boxes.js";
import { sceneOf } from "../../lib/graph_scene.js";
import { runsByName } from "../../state/catalogue.js";
import { drawnRuns } from "../../state/runs.js";
import { set, setting } from "../../state/view.js";

/** @typedef {import("../../api/graphs.js").GraphRow} GraphRow */
/** @typedef {import("../../api/graphs.js").Child} Child */
/** @typedef {import("../../api/graphs.js").NodeView} NodeView */
/** @typedef {import("../../api/graphs.js").ScopeView} ScopeView */
/** @typedef {import("../../api/graphs.js").Finding} Finding */
/** @typedef {import("../../lib/graph_scene.js").Scene} Scene */

const chosenRun = setting("graph.run", "");
const chosenGraph = setting("graph.id", "");
const openList = setting("graph.open", "");
export const selected = setting("graph.node", "");
export const searched = setting("graph.find", "");
/** @type {import("@preact/signals-core").ReadonlySignal<"down" | "right">} */
export const direction = setting("graph.dir", "down", ["down", "right"]);
/** @type {import("@preact/signals-core").ReadonlySignal<"" | "in" | "out" | "both">} */
export const trace = setting("graph.trace", "", ["", "in", "out", "both"]);
export const part = setting("graph.part", "whole", ["whole", "forward"]);
export const repeats = setting("graph.repeats", "fold", ["fold", "all"]);

/** What holds graphs: those of our recorder, MindSpore's and TensorBoard's, and Keras' and TensorFlow's own. */
const PLUGINS = ["graph", "graph_keras_model", "graph_run_metadata_graph"];
/** How many series of graphs a run has. @param {import("../../api/replies.js").RunRow | undefined} row */
export const graphSeries = (row) => PLUGINS.reduce((sum, plugin) => sum + (row?.plugins[plugin] ?? 0), 0);

/** Drawn runs that have graphs. */
export const candidates = computed(() => drawnRuns.value.filter((run) => graphSeries(runsByName.value.get(run))));
export const run = computed(() => (candidates.value.includes(chosenRun.value) ? chosenRun.value : (candidates.value[0] ?? "")));

/** The graphs of a run; null before they are listed. @type {import("@preact/signals-core").Signal<{run: string, total: number, rows: GraphRow[]} | null>} */
const listed = signal(null);
/** @type {import("@preact/signals-core").Signal<Error | null>} */
export const listError = signal(null);

export const graphs = computed(() => (listed.value?.run === run.value ? listed.value : null));
/** The one that is shown: the newest that can be, unless another one is chosen. */
export const graph = computed(() => {
  const rows = graphs.value?.rows ?? [];
  return rows.find(({ id }) => id === chosenGraph.value) ?? rows.findLast(({ problem }) => problem === null) ?? rows.at(-1) ?? null;
});
const shownKey = computed(() => (graph.value && graph.value.problem === null ? JSON.stringify({ run: run.value, graph: graph.value.id }) : ""));

/** What is to be brought into sight as soon as it is drawn; "" nothing. */
export const sought = signal("");

/** What is opened: scopes, groups, children there would be no room for. @type {import("@preact/signals-core").ReadonlySignal<ReadonlySet<string>>} */
export const open = computed(() => new Set(openList.value.split("\n").filter(Boolean)));

/** @type {import("@preact/signals-core").Signal<Scene | null>} */
export const scene = signal(null);
/** What the scene was asked for is not drawn yet. */
export const isBusy = signal(false);
/** @type {import("@preact/signals-core").Signal<Error | null>} */
export const sceneError = signal(null);

/** Scopes of the shown graph that are known or asked for. @type {Map<string, Promise<ScopeView>>} */
let scopes = new Map();
/** What is known of the children of those that came. @type {Map<string, Child>} */
let children = new Map();

/** @param {string} scope @param {string[]} [also] children to be listed even when there are very many: asks again */
function scopeView(scope, also = []) {
  const known = scopes.get(scope);
  if (known && !also.length) return known;
  const [ofGraph, into] = [scopes, children];
  const asked = readScope(JSON.parse(shownKey.peek()), scope, also);
  ofGraph.set(scope, asked);
  asked.then(
    (view) => view.children.forEach((child) => into.set(child.name, child)),
    () => ofGraph.delete(scope),
  );
  return asked;
}

/** A scope as it is to be drawn: with whatever is opened in it or stands apart. @param {string} scope */
async function drawnView(scope) {
  const view = await scopeView(scope);
  if (view.total === view.children.length) return view;
  const listed = new Set(view.children.map(({ name }) => name));
  const wanted = [...open.peek()].map((name) => name.replace(/^!/, "")).filter((name) => !isOfSeveral(name) && scopeOf(name) === scope);
  return wanted.every((name) => listed.has(name)) ? view : scopeView(scope, wanted.slice(0, MOST_ALSO));
}

/** @param {string} name */
export const scopeOf = (name) => name.slice(0, Math.max(0, name.lastIndexOf("/")));

/** A child as its scope tells of it; none when the graph has nothing of that name. @param {string} name @returns {Promise<Child | undefined>} */
async function childOf(name) {
  const around = [];
  for (let scope = scopeOf(name); scope; scope = scopeOf(scope)) around.unshift(scope);
  if (!children.has(name)) await scopeView("");
  for (const scope of around) {
    if (children.has(name) || children.get(scope)?.kind !== "scope") break;
    await scopeView(scope);
  }
  const scope = scopeOf(name);
  const isPart = !children.has(name) && (scope === "" || children.get(scope)?.kind === "scope");
  const view = isPart ? await scopeView(scope) : null;
  if (view && view.children.length < view.total) await scopeView(scope, [name]);
  return children.get(name);
}

/** Details of what is selected; null while there are none. @type {import("@preact/signals-core").Signal<{name: string, entry: Child | NodeView} | null>} */
export const details = signal(null);
/** @type {import("@preact/signals-core").Signal<Error | null>} */
export const detailsError = signal(null);
/** What the search found. @type {import("@preact/signals-core").Signal<{wanted: string, finding: Finding} | null>} */
export const found = signal(null);
/** @type {import("@preact/signals-core").Signal<Error | null>} */
export const findError = signal(null);

/** Follows the address and the runs; returns what ends it. */
export function follow() {
  warmUp();
  const ends = [effect(followList), effect(followScene), effect(followDetails), effect(followSearch)];
  return () => ends.forEach((end) => end());
}

/** A run that is being written is asked for new graphs at most this often, in milliseconds. */
const PATIENCE = 1000;
/** What the graphs were listed for last, and when. */
let listedFor = "";
let listedAt = -Infinity;

/** Lists the graphs of the run, again when something was added to it. */
function followList() {
  const wanted = run.value;
  const row = runsByName.value.get(wanted);
  const fingerprint = JSON.stringify([wanted, graphSeries(row), row?.updated, row?.damaged_records]);
  if (!row || listedFor === fingerprint) return;
  const wait = graphs.peek() ? listedAt + PATIENCE - performance.now() : 0;
  const timer = setTimeout(() => list(wanted, fingerprint), Math.max(0, wait));
  return () => clearTimeout(timer);
}

/** @param {string} wanted @param {string} fingerprint */
async function list(wanted, fingerprint) {
  [listedFor, listedAt] = [fingerprint, performance.now()];
  try {
    const { total, graphs: rows } = await listGraphs(wanted);
    if (listedFor !== fingerprint) return;
    listed.value = { run: wanted, total, rows };
    listError.value = null;
  } catch (error) {
    if (listedFor !== fingerprint) return;
    listedFor = "";
    listError.value = /** @type {Error} */ (error);
  }
}

let knownKey = "";
/** Which graph is shown; nothing of another one is kept for it. */
function followKey() {
  const key = shownKey.value;
  if (knownKey === key) return key;
  knownKey = key;
  [scopes, children] = [new Map(), new Map()];
  scene.value = details.value = found.value = null;
  sought.value = selected.peek();
  return key;
}

/** How soon after the first drawing the worker practises for larger ones, in milliseconds. */
const PRACTISE_AFTER = 150;
let hasPractised = false;

let asked = 0;
function followScene() {
  const key = followKey();
  const wanted = { graph: key, read: drawnView, open: open.value, isFolded: repeats.value === "fold", isForward: part.value === "forward", direction: direction.value };
  const mine = ++asked;
  if (!key) return;
  isBusy.value = true;
  layOut(wanted).then(
    (root) => {
      if (mine !== asked) return;
      scene.value = sceneOf(root);
      sceneError.value = null;
      isBusy.value = false;
      if (!hasPractised) setTimeout(practise, PRACTISE_AFTER, 60);
      hasPractised = true;
    },
    (error) => {
      if (mine !== asked) return;
      sceneError.value = error;
      isBusy.value = false;
    },
  );
}

/** @param {() => Promise<void>} read @param {import("@preact/signals-core").Signal<Error | null>} failure */
const trying = (read, failure) => void read().then(() => (failure.value = null), (error) => (failure.value = error));

function followDetails() {
  const [key, name] = [followKey(), selected.value];
  if (!key || !name || isOfSeveral(name)) return void (details.value = null);
  if (details.peek()?.name === name) return;
  const isStill = () => shownKey.peek() === key && selected.peek() === name;
  const tell = (/** @type {Child | undefined} */ entry) => {
    if (isStill()) details.value = entry ? { name, entry } : null;
  };
  trying(async () => {
    const child = await childOf(name);
    tell(child);
    if (child && child.kind !== "scope") tell(await readNode(JSON.parse(key), name));
  }, detailsError);
}

function followSearch() {
  const [key, wanted] = [followKey(), searched.value.trim()];
  if (!key || !wanted) return void (found.value = null);
  const request = new AbortController();
  trying(async () => {
    try {
      found.value = { wanted, finding: await searchGraph(JSON.parse(key), wanted, request.signal) };
    } catch (error) {
      if (!request.signal.aborted) throw error;
    }
  }, findError);
  return () => request.abort();
}

/** @param {Iterable<string>} names */
const printOpen = (names) => [...names].join("\n");

/** @param {string} name of a run */
export const chooseRun = (name) => set({ "graph.run": name, "graph.id": "", "graph.open": "", "graph.node": "", "graph.trace": "" });
/** @param {string} id of a graph */
export const chooseGraph = (id) => set({ "graph.run": run.peek(), "graph.id": id, "graph.open": "", "graph.node": "", "graph.trace": "" });

/** Opens what is closed, closes what is open, with all that is opened in it.
 * @param {string} name of a scope */
export function toggle(name) {
  const names = open.peek();
  const isInside = (/** @type {string} */ each) => each.replace(/^[*!]/u, "").startsWith(`${name}/`);
  if (names.has(name)) set({ "graph.open": printOpen([...names].filter((each) => each !== name && !isInside(each))) });
  else void openScope(name);
}

/** Opens a scope, and in it the only scope, if it holds nothing else. @param {string} name */
export async function openScope(name) {
  const names = [name];
  const key = shownKey.peek();
  try {
    for (;;) {
      const view = await scopeView(names[names.length - 1]);
      const [only] = view.children;
      if (view.total !== 1 || only.kind !== "scope") break;
      names.push(only.name);
    }
  } catch {
    // What cannot be read is told where it is drawn.
  }
  if (shownKey.peek() === key) openAll(names);
}

/** @param {Iterable<string>} names */
export const openAll = (names) => set({ "graph.open": printOpen(new Set([...open.peek(), ...names])) });
export const closeAll = () => set({ "graph.open": "", "graph.node": "", "graph.trace": "" });

/** @param {string} name */
export const select = (name) => set({ "graph.node": name, ...(name === "" && { "graph.trace": "" }) });

/** Selects something wherever it is, and opens the scopes on the way to it.
 * @param {string} name */
export function jump(name) {
  const names = new Set(open.peek());
  for (let scope = scopeOf(name); scope; scope = scopeOf(scope)) names.add(scope);
  sought.value = name;
  set({ "graph.open": printOpen(names), "graph.node": name });
}

/** What is sought is taken out of the box it is hidden in. @param {Scene} drawn @param {string} name @returns {boolean} is it in sight? */
export function uncover(drawn, name) {
  if (drawn.byId.has(name)) return true;
  const hides = (/** @type {import("../../lib/graph_scene.js").PlacedBox} */ { box: { kind, count, scope, members } }) => count > 1 && (members.some((member) => member.name === name) || (kind === "rest" && scope === scopeOf(name)));
  if (!open.peek().has(keptId(name)) && drawn.boxes.some(hides)) openAll([keptId(name)]);
  return false;
}
