// Opening and closing scopes, and going to what is in them.

import { shownKey } from "./graph_list.js";
import { keptId } from "./model/boxes.js";
import { scopeOf, scopeView } from "./scopes.js";
import { sought } from "./selection_state.js";
import { open, openAll, openOnly } from "./settings.js";

/** @typedef {import("./model/scene.js").Scene} Scene */
/** @typedef {import("./model/scene.js").PlacedBox} PlacedBox */

/** Opens what is closed, closes what is open, with all that is opened in it.
 * @param {string} name of a scope */
export function toggle(name) {
  const names = open.peek();
  const isInside = (/** @type {string} */ each) => each.replace(/^[*!]/u, "").startsWith(`${name}/`);
  if (names.has(name)) openOnly([...names].filter((each) => each !== name && !isInside(each)));
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

/** Selects something wherever it is, and opens the scopes on the way to it.
 * @param {string} name */
export function jump(name) {
  const names = new Set(open.peek());
  for (let scope = scopeOf(name); scope; scope = scopeOf(scope)) names.add(scope);
  sought.value = name;
  openOnly(names, name);
}

/** What is sought is taken out of the box it is hidden in. @param {Scene} drawn @param {string} name @returns {boolean} is it in sight? */
export function uncover(drawn, name) {
  if (drawn.byId.has(name)) return true;
  const isHidden = drawn.boxes.some((placed) => hides(placed, name));
  if (isHidden && !open.peek().has(keptId(name))) openAll([keptId(name)]);
  return false;
}

/** @param {PlacedBox} placed @param {string} name */
const hides = ({ box: { kind, count, scope, members } }, name) =>
  count > 1 && (members.some((member) => member.name === name) || (kind === "rest" && scope === scopeOf(name)));
