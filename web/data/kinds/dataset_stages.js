// The stages of a dataset pipeline: their kinds and their most relevant parameters.

/** @typedef {import("./dataset_value.js").Plain} Plain */
/** @typedef {Record<string, Plain>} Parameters */

/** As sent by the server; the children are the inputs of a stage.
 * @typedef
 * {{op_type: string, parameters: Parameters, operations: Parameters[], sampler: Parameters | null, children: Stage[]}}
 * Stage */

/** A stage in its pipeline. @typedef {object} Placed
 * @property {string} id indexes of children, from the last stage: "0.1.0"
 * @property {Stage} stage
 * @property {number} depth number of stages after it
 * @property {Placed | null} feeds
 * @property {Placed[]} fedBy
 */

export const KINDS = /** @type {const} */ (["source", "map", "shuffle", "batch", "repeat", "combine", "other"]);
/** @typedef {(typeof KINDS)[number]} Kind */

/** @param {Stage} stage @returns {Kind} */
export function kindOf({ op_type: name, children }) {
  if (!children.length) return "source";
  if (children.length > 1 || /zip|concat/i.test(name)) return "combine";
  const match = /map|shuffle|batch|repeat/i.exec(name);
  return match ? /** @type {Kind} */ (match[0].toLowerCase()) : "other";
}

/** Lists the stages breadth-first from the last one, at most `most` of them.
 * @param {Stage} last @param {number} most */
export function stagesOf(last, most) {
  /** @type {Placed[]} */
  const placed = [{ id: "0", stage: last, depth: 0, feeds: null, fedBy: [] }];
  let count = 1;
  for (let at = 0; at < placed.length; at++) {
    const feeds = placed[at];
    count += feeds.stage.children.length;
    feeds.stage.children.forEach((stage, place) => {
      if (placed.length === most) return;
      const child = { id: `${feeds.id}.${place}`, stage, depth: feeds.depth + 1, feeds, fedBy: [] };
      feeds.fedBy.push(child);
      placed.push(child);
    });
  }
  return { placed, leftOut: count - placed.length };
}

/** Settings of the execution, not of the data. */
const EXECUTION = new Set([
  "connector_queue_size",
  "num_parallel_workers",
  "python_multiprocessing",
  "max_rowsize",
  "cache",
  "offload",
]);
/** Listed first. */
const RELEVANT = [
  "dataset_dir",
  "dataset_file",
  "dataset_files",
  "usage",
  "batch_size",
  "drop_remainder",
  "buffer_size",
  "count",
  "repeat_count",
  "num_samples",
  "shuffle",
  "input_columns",
  "output_columns",
  "columns",
];

/** Sorts the names of parameters by relevance.
 * @param {Parameters} parameters */
export function byRelevance(parameters) {
  const rank = (/** @type {string} */ name) =>
    RELEVANT.includes(name) ? RELEVANT.indexOf(name) : EXECUTION.has(name) ? 1000 : 100;
  return Object.keys(parameters).sort((a, b) => rank(a) - rank(b));
}

/** The parameters in the box of a stage: neither empty ones nor settings of the execution.
 * @param {Stage} stage @returns {Array<[name: string, value: Plain]>} */
export function mainParameters({ parameters }) {
  const names = byRelevance(parameters).filter((name) => !EXECUTION.has(name) && !isEmpty(parameters[name]));
  const same = JSON.stringify(parameters.input_columns) === JSON.stringify(parameters.output_columns);
  return names.filter((name) => !(same && name === "output_columns")).map((name) => [name, parameters[name]]);
}

/** @param {Plain} value */
const isEmpty = (value) =>
  value === null || value === "" || (Array.isArray(value) && value.every((item) => item === null));
