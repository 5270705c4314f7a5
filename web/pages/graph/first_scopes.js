// The scopes that are expanded when a graph is shown first: a small graph would be one or two boxes otherwise.

/** @typedef {import("../../data/graphs.js").ScopeView} ScopeView */

const FEW_BOXES = 2;
const MOST_NODES = 24;

/** @param {Pick<ScopeView, "total"> & {children: readonly {name: string, kind: string, nodes: number}[]}} root @returns {string[]} */
export function firstScopes({ total, children }) {
  const nodes = children.reduce((sum, child) => sum + child.nodes, 0);
  if (total > FEW_BOXES || nodes > MOST_NODES) return [];
  return children.filter(({ kind }) => kind === "scope").map(({ name }) => name);
}
