// The state of the graph page: the drawn scene, details of the selection, and search results.

import { effect, signal } from "@preact/signals-core";
import { readNode, searchGraph } from "../../data/kinds/graphs.js";
import { layOut, startWorker, warmUp } from "./draw/layout.js";
import { firstScopes } from "./first_scopes.js";
import { followList, shownKey } from "./graph_list.js";
import { isAggregateId } from "./model/boxes.js";
import { sceneOf } from "./model/scene.js";
import { clearScopes, readCachedScope, readChild, readDrawnScope } from "./scope_cache.js";
import { direction, open, openAlso, part, repeats, searchText, selected } from "./settings.js";

/** @typedef {import("../../data/kinds/graphs.js").Child} Child */
/** @typedef {import("../../data/kinds/graphs.js").NodeView} NodeView */
/** @typedef {import("../../data/kinds/graphs.js").SearchReply} SearchReply */
/** @typedef {import("./model/scene.js").Scene} Scene */

/** @type {import("@preact/signals-core").Signal<Scene | null>} */
export const scene = signal(null);
/** A requested layout is not drawn yet. */
export const isBusy = signal(false);
/** @type {import("@preact/signals-core").Signal<Error | null>} */
export const sceneError = signal(null);
/** The id of the box to reveal once it is drawn; "" for none. */
export const pendingReveal = signal("");

/** Details of the selection, with a null `entry` if the graph contains no such name; null until they are loaded.
 * @type {import("@preact/signals-core").Signal<{name: string, entry: Child | NodeView | null} | null>} */
export const details = signal(null);
/** @type {import("@preact/signals-core").Signal<Error | null>} */
export const detailsError = signal(null);
/** @type {import("@preact/signals-core").Signal<{query: string, reply: SearchReply} | null>} */
export const searchResult = signal(null);
/** @type {import("@preact/signals-core").Signal<Error | null>} */
export const searchError = signal(null);

/** Follows the address and the runs until the returned function is called. */
export function follow() {
  startWorker();
  const disposers = [
    effect(followList),
    effect(followFirstScopes),
    effect(followScene),
    effect(followDetails),
    effect(followSearch),
  ];
  return () => {
    for (const dispose of disposers) dispose();
  };
}

let currentKey = "";
/** Returns the key of the current graph, and clears the state of the previous one. */
function followKey() {
  const key = shownKey.value;
  if (currentKey === key) return key;
  currentKey = key;
  clearScopes();
  scene.value = details.value = searchResult.value = null;
  sceneError.value = detailsError.value = searchError.value = null;
  pendingReveal.value = selected.peek();
  return key;
}

/** The graph whose first scopes were looked at. */
let startedKey = "";
/** Expands the first scopes of another graph, unless the address says what is expanded, selected or searched. */
function followFirstScopes() {
  const key = followKey();
  if (!key || key === startedKey) return;
  startedKey = key;
  const isUntouched = () => shownKey.peek() === key && !open.peek().size && !selected.peek() && !searchText.peek();
  if (!isUntouched()) return;
  readFirstScopes("").then(
    (names) => {
      if (names.length && isUntouched()) openAlso(names);
    },
    () => {}, // The layout reports the error.
  );
}

/** Models may be in several scopes, one in another. @param {string} scope @returns {Promise<string[]>} */
async function readFirstScopes(scope) {
  const names = firstScopes(await readCachedScope(scope));
  return names.length === 1 ? [...names, ...(await readFirstScopes(names[0]))] : names;
}

/** Milliseconds after the first drawing until the worker is warmed up for larger layouts. */
const WARM_UP_DELAY = 150;
let isWarmedUp = false;

let latestRequest = 0;
function followScene() {
  const key = followKey();
  const request = {
    graph: key,
    read: readDrawnScope,
    open: open.value,
    isFolded: repeats.value === "fold",
    isForward: part.value === "forward",
    direction: direction.value,
  };
  const requestNumber = ++latestRequest;
  if (!key) return;
  isBusy.value = true;
  layOut(request).then(
    (root) => {
      if (requestNumber !== latestRequest) return;
      scene.value = sceneOf(root);
      sceneError.value = null;
      isBusy.value = false;
      if (!isWarmedUp) setTimeout(warmUp, WARM_UP_DELAY, 60);
      isWarmedUp = true;
    },
    (error) => {
      if (requestNumber !== latestRequest) return;
      sceneError.value = error;
      isBusy.value = false;
    },
  );
}

/** Reads, and reports whether that failed. @param {() => Promise<void>} read
 * @param {import("@preact/signals-core").Signal<Error | null>} error */
const reading = (read, error) =>
  void read().then(
    () => (error.value = null),
    (reason) => (error.value = reason),
  );

function followDetails() {
  const [key, name] = [followKey(), selected.value];
  if (!key || !name || isAggregateId(name)) return void (details.value = null);
  if (details.peek()?.name === name) return;
  const publish = (/** @type {Child | NodeView | undefined} */ entry) => {
    if (shownKey.peek() === key && selected.peek() === name) details.value = { name, entry: entry ?? null };
  };
  reading(async () => {
    const child = await readChild(name);
    publish(child);
    if (child && child.kind !== "scope") publish(await readNode(JSON.parse(key), name));
  }, detailsError);
}

function followSearch() {
  const [key, query] = [followKey(), searchText.value.trim()];
  if (!key || !query) return void (searchResult.value = null);
  const request = new AbortController();
  reading(async () => {
    try {
      searchResult.value = { query, reply: await searchGraph(JSON.parse(key), query, request.signal) };
    } catch (error) {
      if (!request.signal.aborted) throw error;
    }
  }, searchError);
  return () => request.abort();
}
