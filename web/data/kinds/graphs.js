// Requests for computational graphs: the list of a run, and one scope, node or search at a time.

import { fetchJson } from "../client/client.js";

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
/** @typedef {{name: string, value: string, length: number | null, unit: "characters" | "elements" | "bytes" | null}}
 * Attribute */

/** @typedef {object} Description
 * @property {TypeView[]} types of the outputs
 * @property {Link[]} inputs
 * @property {number} inputs_total
 * @property {Link[]} outputs
 * @property {number} outputs_total
 * @property {Attribute[]} attributes
 * @property {number} attributes_total
 * @property {string | null} repeats equal for scopes of the same structure
 * @property {boolean} is_result
 */
/** @typedef {Entry & Description} Child */
/** @typedef {Child & {id: string, scope: string}} NodeView */

/** @typedef {object} Flow
 * @property {string} source
 * @property {string} target
 * @property {boolean} control a control dependency
 * @property {"source" | "target" | null} outside which end is not in the scope
 * @property {number} count edges between nodes that it represents
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

/** @typedef {Entry & {scope: string, depth: number, matches: boolean}} FoundEntry */
/** @typedef {{total: number, tree: FoundEntry[]}} SearchReply */

/** Identifies a graph. @typedef {{run: string, graph: string}} GraphKey */

/** Limits of one reply. */
const MAX_GRAPHS = 100;
const MAX_CHILDREN = 1000;
const MAX_FOUND = 200;
/** Additional children that one request may name. */
export const MAX_ALSO = 100;

/** @param {string} run @returns {Promise<GraphsReply>} */
export const listGraphs = (run) => fetchJson(`graphs?${new URLSearchParams({ run, limit: String(MAX_GRAPHS) })}`);

/** @param {GraphKey} key @param {Array<[name: string, value: string]>} more @param {AbortSignal} [signal]
 * @returns {Promise<any>} */
const part = ({ run, graph }, more, signal) =>
  fetchJson(`graphs/nodes?${new URLSearchParams([["run", run], ["graph", graph], ...more])}`, { signal });

/** @param {GraphKey} key @param {string} scope
 * @param {string[]} also children that are listed even beyond the limit @returns {Promise<ScopeView>} */
export const readScope = async (key, scope, also) =>
  (
    await part(key, [
      ["scope", scope],
      ["limit", String(MAX_CHILDREN)],
      ...also.map((name) => /** @type {[string, string]} */ (["also", name])),
    ])
  ).scope;

/** @param {GraphKey} key @param {string} node @returns {Promise<NodeView>} */
export const readNode = async (key, node) => (await part(key, [["node", node]])).node;

/** @param {GraphKey} key @param {string} search @param {AbortSignal} signal @returns {Promise<SearchReply>} */
export const searchGraph = async (key, search, signal) =>
  (
    await part(
      key,
      [
        ["search", search],
        ["limit", String(MAX_FOUND)],
      ],
      signal,
    )
  ).found;
