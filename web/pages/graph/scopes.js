// What the server has told of the scopes of the shown graph: each is asked for once.

import { MOST_ALSO, readScope } from "../../data/graphs.js";
import { shownKey } from "./graph_list.js";
import { isOfSeveral } from "./model/boxes.js";
import { open } from "./settings.js";

/** @typedef {import("../../data/graphs.js").Child} Child */
/** @typedef {import("../../data/graphs.js").ScopeView} ScopeView */

/** Scopes that are known or asked for. @type {Map<string, Promise<ScopeView>>} */
let scopes = new Map();
/** What is known of the children of those that came. @type {Map<string, Child>} */
let children = new Map();

/** Another graph is shown. */
export function forgetScopes() {
  [scopes, children] = [new Map(), new Map()];
}

/** @param {string} scope @param {string[]} [also] children to be listed even when there are very many: asks again */
export function scopeView(scope, also = []) {
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
export async function drawnView(scope) {
  const view = await scopeView(scope);
  if (view.total === view.children.length) return view;
  const listed = new Set(view.children.map(({ name }) => name));
  const wanted = [...open.peek()]
    .map((name) => name.replace(/^!/, ""))
    .filter((name) => !isOfSeveral(name) && scopeOf(name) === scope);
  return wanted.every((name) => listed.has(name)) ? view : scopeView(scope, wanted.slice(0, MOST_ALSO));
}

/** @param {string} name */
export const scopeOf = (name) => name.slice(0, Math.max(0, name.lastIndexOf("/")));

/** A child as its scope tells of it; none when the graph has nothing of that name. @param {string} name @returns {Promise<Child | undefined>} */
export async function childOf(name) {
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
