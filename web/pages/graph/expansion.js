// Expands and collapses scopes, and goes to a node inside them.

import { shownKey } from "./graph_list.js";
import { pinnedId } from "./model/boxes.js";
import { readCachedScope, scopeOf } from "./scope_cache.js";
import { open, openAlso, setOpen } from "./settings.js";
import { pendingReveal } from "./state.js";

/** @typedef {import("./model/scene.js").Scene} Scene */
/** @typedef {import("./model/scene.js").PlacedBox} PlacedBox */

/** Expands a scope, or collapses it together with everything expanded in it.
 * @param {string} name of a scope */
export function toggle(name) {
  const names = open.peek();
  const isInside = (/** @type {string} */ opened) => opened.replace(/^[*!]/u, "").startsWith(`${name}/`);
  if (names.has(name)) setOpen([...names].filter((opened) => opened !== name && !isInside(opened)));
  else void openScope(name);
}

/** Expands a scope and, as long as its only child is a scope, that child. @param {string} name */
export async function openScope(name) {
  const names = [name];
  const key = shownKey.peek();
  try {
    for (;;) {
      const view = await readCachedScope(names[names.length - 1]);
      const [only] = view.children;
      if (view.total !== 1 || only.kind !== "scope") break;
      names.push(only.name);
    }
  } catch {
    // The layout reports the error.
  }
  if (shownKey.peek() === key) openAlso(names);
}

/** Selects a node or scope, and expands the scopes around it.
 * @param {string} name */
export function goTo(name) {
  const names = new Set(open.peek());
  for (let scope = scopeOf(name); scope; scope = scopeOf(scope)) names.add(scope);
  pendingReveal.value = name;
  setOpen(names, name);
}

/** Pins a child that an aggregate box hides. @param {Scene} drawn @param {string} name
 * @returns {boolean} whether the child is drawn already */
export function unhide(drawn, name) {
  if (drawn.byId.has(name)) return true;
  const isHidden = drawn.boxes.some((placed) => contains(placed, name));
  if (isHidden && !open.peek().has(pinnedId(name))) openAlso([pinnedId(name)]);
  return false;
}

/** @param {PlacedBox} placed @param {string} name */
const contains = ({ box: { kind, count, scope, members } }, name) =>
  count > 1 && (members.some((member) => member.name === name) || (kind === "rest" && scope === scopeOf(name)));
