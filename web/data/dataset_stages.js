// The stages of a dataset pipeline: what each does, and which of its parameters say the most.

/** @typedef {import("./dataset_value.js").Plain} Plain */
/** @typedef {Record<string, Plain>} Parameters */

/** As the server sends it: a stage is fed by its children.
 * @typedef {{op_type: string, parameters: Parameters, operations: Parameters[], sampler: Parameters | null, children: Stage[]}} Stage */

/** Where a stage stands. @typedef {object} Placed
 * @property {string} id numbers of children, from the last stage on: "0.1.0"
 * @property {Stage} stage
 * @property {number} depth stages between it and the last one
 * @property {Placed | null} feeds
 * @property {Placed[]} fedBy
 */

export const KINDS = /** @type {const} */ (["source", "map", "shuffle", "batch", "repeat", "combine", "other"]);
/** @typedef {(typeof KINDS)[number]} Kind */

/** @param {Stage} stage @returns {Kind} */
export function kindOf({ op_type: name, children }) {
  if (!children.length) return "source";
  if (children.length > 1 || /zip|concat/i.test(name)) return "combine";
  const found = /map|shuffle|batch|repeat/i.exec(name);
  return found ? /** @type {Kind} */ (found[0].toLowerCase()) : "other";
}

/** The stages of a pipeline, the last one first, those nearer to it before others; at most so many.
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

/** How the machine does it, not what is done. */
const MACHINERY = new Set([
  "connector_queue_size",
  "num_parallel_workers",
  "python_multiprocessing",
  "max_rowsize",
  "cache",
  "offload",
]);
/** Said first, where a stage has them. */
const WEIGHTY = [
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

/** Names of parameters, those that say most first.
 * @param {Parameters} parameters */
export function byWeight(parameters) {
  const rank = (/** @type {string} */ name) =>
    WEIGHTY.includes(name) ? WEIGHTY.indexOf(name) : MACHINERY.has(name) ? 1000 : 100;
  return Object.keys(parameters).sort((one, other) => rank(one) - rank(other));
}

/** Those of a stage that its box has room for: what is empty or of the machine stays in the details.
 * @param {Stage} stage @returns {Array<[name: string, value: Plain]>} */
export function mainParameters({ parameters }) {
  const names = byWeight(parameters).filter((name) => !MACHINERY.has(name) && !isEmpty(parameters[name]));
  const same = JSON.stringify(parameters.input_columns) === JSON.stringify(parameters.output_columns);
  return names.filter((name) => !(same && name === "output_columns")).map((name) => [name, parameters[name]]);
}

/** @param {Plain} value */
const isEmpty = (value) =>
  value === null || value === "" || (Array.isArray(value) && value.every((item) => item === null));
