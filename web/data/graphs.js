// Computational graphs, as the server tells of them: which a run has, and one scope, one node or one search at a time.

import { ask } from "./client.js";

/** @typedef {"scope" | "operator" | "parameter" | "constant" | "input" | "output"} EntryKind */
/** @typedef {{dtype: string | null, shape: number[] | null}} TypeView -1 where a size is unknown */

/** @typedef {object} GraphRow
 * @property {string} id
 * @property {string} name
 * @property {string} tag
 * @property {string} file
 * @property {number} rank
 * @property {number} step
 * @property {number | string} wall_time
 * @property {string | null} problem why it cannot be shown
 * @property {string | null} source mindspore, tensorflow, torch, keras or toposcope
 * @property {number | null} nodes
 * @property {number | null} edges
 * @property {number | null} missing_inputs
 * @property {number | null} depth
 * @property {boolean | null} is_module_tree
 * @property {string[]} left_out
 */
/** @typedef {{revision: number, run: string, total: number, graphs: GraphRow[]}} GraphsReply */

/** @typedef {object} Entry a scope or a node in short
 * @property {string} name full, unique in the graph
 * @property {string} label its last part
 * @property {EntryKind} kind
 * @property {string | null} op null for a scope
 * @property {number} nodes in the scope, however deep
 */
/** @typedef {{name: string, control: boolean, type: TypeView | null, missing: boolean}} Link */
/** @typedef {{name: string, value: string, length: number | null, unit: "characters" | "elements" | "bytes" | null}} Attribute */

/** @typedef {object} Description
 * @property {TypeView[]} types what a node puts out
 * @property {Link[]} inputs
 * @property {number} inputs_total
 * @property {Link[]} outputs
 * @property {number} outputs_total
 * @property {Attribute[]} attributes
 * @property {number} attributes_total
 * @property {string | null} repeats the same for all scopes that are built alike
 * @property {boolean} is_result
 */
/** @typedef {Entry & Description} Child */
/** @typedef {Child & {id: string, scope: string}} NodeView */

/** @typedef {object} Flow
 * @property {string} source
 * @property {string} target
 * @property {boolean} control only the order matters
 * @property {"source" | "target" | null} outside which end is not in the scope
 * @property {number} count edges between nodes that it stands for
 * @property {Array<TypeView & {count: number}>} types
 */
/** @typedef {object} ScopeView
 * @property {string} name
 * @property {number} total children, listed or not
 * @property {Child[]} children
 * @property {Flow[]} edges
 * @property {number} edges_total
 * @property {Entry[]} outside
 */

/** @typedef {Entry & {scope: string, depth: number, matches: boolean}} Found */
/** @typedef {{total: number, tree: Found[]}} Finding */

/** Which graph. @typedef {{run: string, graph: string}} GraphKey */

/** Graphs of a run that a page chooses from, and children of a scope that it knows. */
const MOST_GRAPHS = 100;
const MOST_CHILDREN = 1000;
const MOST_FOUND = 200;
/** Children named besides in one request. */
export const MOST_ALSO = 100;

/** @param {string} run @param {AbortSignal} [signal] @returns {Promise<GraphsReply>} */
export const listGraphs = (run, signal) =>
  ask(`graphs?${new URLSearchParams({ run, limit: String(MOST_GRAPHS) })}`, { signal });

/** @param {GraphKey} key @param {Array<[name: string, value: string]>} more @param {AbortSignal} [signal] @returns {Promise<any>} */
const part = ({ run, graph }, more, signal) =>
  ask(`graphs/nodes?${new URLSearchParams([["run", run], ["graph", graph], ...more])}`, { signal });

/** @param {GraphKey} key @param {string} scope @param {string[]} also children that are listed even when there are very many @returns {Promise<ScopeView>} */
export const readScope = async (key, scope, also) =>
  (
    await part(key, [
      ["scope", scope],
      ["limit", String(MOST_CHILDREN)],
      ...also.map((name) => /** @type {[string, string]} */ (["also", name])),
    ])
  ).scope;

/** @param {GraphKey} key @param {string} node @returns {Promise<NodeView>} */
export const readNode = async (key, node) => (await part(key, [["node", node]])).node;

/** @param {GraphKey} key @param {string} search @param {AbortSignal} signal @returns {Promise<Finding>} */
export const searchGraph = async (key, search, signal) =>
  (
    await part(
      key,
      [
        ["search", search],
        ["limit", String(MOST_FOUND)],
      ],
      signal,
    )
  ).found;
