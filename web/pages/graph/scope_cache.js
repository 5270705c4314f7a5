// A cache of the scopes of the current graph; each scope is requested once.

import { MAX_ALSO, readScope } from "../../data/kinds/graphs.js";
import { shownKey } from "./graph_list.js";
import { isAggregateId } from "./model/boxes.js";
import { open } from "./settings.js";

/** @typedef {import("../../data/kinds/graphs.js").Child} Child */
/** @typedef {import("../../data/kinds/graphs.js").ScopeView} ScopeView */

/** Loaded and requested scopes by name. @type {Map<string, Promise<ScopeView>>} */
let scopes = new Map();
/** The children of all loaded scopes by name. @type {Map<string, Child>} */
let children = new Map();

/** Clears the cache when another graph is shown. */
export function clearScopes() {
  [scopes, children] = [new Map(), new Map()];
}

/** @param {string} scope @param {string[]} [also] children to list beyond the limit; causes a new request */
export function readCachedScope(scope, also = []) {
  const cached = scopes.get(scope);
  if (cached && !also.length) return cached;
  const [scopeCache, childCache] = [scopes, children];
  const request = readScope(JSON.parse(shownKey.peek()), scope, also);
  scopeCache.set(scope, request);
  request.then(
    ({ children: listed }) => {
      for (const child of listed) childCache.set(child.name, child);
    },
    () => scopeCache.delete(scope),
  );
  return request;
}

/** Reads a scope including every child that is expanded or pinned. @param {string} scope */
export async function readDrawnScope(scope) {
  const view = await readCachedScope(scope);
  if (view.total === view.children.length) return view;
  const listed = new Set(view.children.map(({ name }) => name));
  const openedNames = [...open.peek()]
    .map((name) => name.replace(/^!/, ""))
    .filter((name) => !isAggregateId(name) && scopeOf(name) === scope);
  return openedNames.every((name) => listed.has(name)) ? view : readCachedScope(scope, openedNames.slice(0, MAX_ALSO));
}

/** @param {string} name */
export const scopeOf = (name) => name.slice(0, Math.max(0, name.lastIndexOf("/")));

/**
 * Reads a child by its full name; undefined if the graph contains no such name.
 * @param {string} name @returns {Promise<Child | undefined>}
 */
export async function readChild(name) {
  const ancestors = [];
  for (let scope = scopeOf(name); scope; scope = scopeOf(scope)) ancestors.unshift(scope);
  if (!children.has(name)) await readCachedScope("");
  for (const scope of ancestors) {
    if (children.has(name) || children.get(scope)?.kind !== "scope") break;
    await readCachedScope(scope);
  }
  const scope = scopeOf(name);
  const isInKnownScope = !children.has(name) && (scope === "" || children.get(scope)?.kind === "scope");
  const view = isInKnownScope ? await readCachedScope(scope) : null;
  if (view && view.children.length < view.total) await readCachedScope(scope, [name]);
  return children.get(name);
}
