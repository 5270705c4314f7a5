// The scopes that are expanded when a graph is shown first: it would be a few boxes otherwise.

/** @typedef {import("../../data/kinds/graphs.js").ScopeView} ScopeView */

const FEW_BOXES = 2;
const MAX_NODES = 24;
/** With a model as one scope beside its inputs and outputs, that is expanded, whatever its size. */
const MODEL_SHARE = 0.8;
const MAX_BESIDE_MODEL = 8;

/** @param {Pick<ScopeView, "total"> & {children: readonly {name: string, kind: string, nodes: number}[]}} root @returns {string[]} */
export function firstScopes({ total, children }) {
  const nodes = children.reduce((sum, child) => sum + child.nodes, 0);
  const scopes = children.filter(({ kind }) => kind === "scope");
  const models = scopes.filter((scope) => scope.nodes >= MODEL_SHARE * nodes);
  const isModel = total <= MAX_BESIDE_MODEL && nodes > MAX_NODES;
  const chosen = total <= FEW_BOXES && nodes <= MAX_NODES ? scopes : isModel ? models : [];
  return chosen.map(({ name }) => name);
}
