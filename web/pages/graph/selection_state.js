// What is drawn of the graph that is shown, what is told of the selected one, and what a search found.

import { effect, signal } from "@preact/signals-core";
import { readNode, searchGraph } from "../../data/graphs.js";
import { layOut, practise, warmUp } from "./draw/layout.js";
import { followList, shownKey } from "./graph_list.js";
import { isOfSeveral } from "./model/boxes.js";
import { sceneOf } from "./model/scene.js";
import { childOf, drawnView, forgetScopes } from "./scopes.js";
import { direction, open, part, repeats, searched, selected } from "./settings.js";

/** @typedef {import("../../data/graphs.js").Child} Child */
/** @typedef {import("../../data/graphs.js").NodeView} NodeView */
/** @typedef {import("../../data/graphs.js").SearchReply} SearchReply */
/** @typedef {import("./model/scene.js").Scene} Scene */

/** @type {import("@preact/signals-core").Signal<Scene | null>} */
export const scene = signal(null);
/** What the scene was asked for is not drawn yet. */
export const isBusy = signal(false);
/** @type {import("@preact/signals-core").Signal<Error | null>} */
export const sceneError = signal(null);
/** What is to be brought into sight as soon as it is drawn; "" nothing. */
export const sought = signal("");

/** Details of what is selected, `entry` null when the graph has no such thing; null while they are not known.
 * @type {import("@preact/signals-core").Signal<{name: string, entry: Child | NodeView | null} | null>} */
export const details = signal(null);
/** @type {import("@preact/signals-core").Signal<Error | null>} */
export const detailsError = signal(null);
/** What the search found. @type {import("@preact/signals-core").Signal<{wanted: string, finding: SearchReply} | null>} */
export const found = signal(null);
/** @type {import("@preact/signals-core").Signal<Error | null>} */
export const findError = signal(null);

/** Follows the address and the runs; returns what ends it. */
export function follow() {
  warmUp();
  const ends = [effect(followList), effect(followScene), effect(followDetails), effect(followSearch)];
  return () => ends.forEach((end) => end());
}

let knownKey = "";
/** Which graph is shown; nothing of another one is kept for it. */
function followKey() {
  const key = shownKey.value;
  if (knownKey === key) return key;
  knownKey = key;
  forgetScopes();
  scene.value = details.value = found.value = null;
  sceneError.value = detailsError.value = findError.value = null;
  sought.value = selected.peek();
  return key;
}

/** How soon after the first drawing the worker practises for larger ones, in milliseconds. */
const PRACTISE_AFTER = 150;
let hasPractised = false;

let asked = 0;
function followScene() {
  const key = followKey();
  const wanted = {
    graph: key,
    read: drawnView,
    open: open.value,
    isFolded: repeats.value === "fold",
    isForward: part.value === "forward",
    direction: direction.value,
  };
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
const trying = (read, failure) =>
  void read().then(
    () => (failure.value = null),
    (error) => (failure.value = error),
  );

function followDetails() {
  const [key, name] = [followKey(), selected.value];
  if (!key || !name || isOfSeveral(name)) return void (details.value = null);
  if (details.peek()?.name === name) return;
  const tell = (/** @type {Child | NodeView | undefined} */ entry) => {
    if (shownKey.peek() === key && selected.peek() === name) details.value = { name, entry: entry ?? null };
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
