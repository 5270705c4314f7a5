// A dataset pipeline as a flat table has it: one name, one value.

/** @typedef {import("./client.js").Stage} Stage */

/** What stages say that says nothing about the data. */
const NOISE = new Set(["connector_queue_size"]);

/** The parameters of every stage by "Batch.batch_size"; stages of a kind that occurs again are numbered from the source on.
 * @param {Stage} last @returns {Record<string, unknown>} */
export function flatPipeline(last) {
  const stages = fromSources(last);
  /** @type {Record<string, unknown>} */
  const flat = { pipeline: stages.map(({ op_type: type }) => type || "?").join(" › ") };
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const { op_type: type, parameters, operations, sampler } of stages) {
    const order = (seen.get(type) ?? 0) + 1;
    seen.set(type, order);
    const title = order > 1 ? `${type || "?"} ${order}` : type || "?";
    for (const [name, value] of Object.entries(parameters))
      if (!NOISE.has(name)) flat[`${title}.${name}`] = listed(value);
    if (operations.length) flat[`${title}.operations`] = operations.map(operationText).join(", ");
    if (sampler) flat[`${title}.sampler`] = operationText(sampler);
  }
  return flat;
}

/** Sources first, however deep the pipeline is. @param {Stage} last @returns {Stage[]} */
function fromSources(last) {
  /** @type {Stage[]} */
  const stages = [];
  const waiting = [last];
  for (let stage = waiting.pop(); stage; stage = waiting.pop()) {
    stages.push(stage);
    waiting.push(...stage.children);
  }
  return stages.reverse();
}

/** "TypeCast(data_type=float32)". @param {Record<string, unknown>} operation */
function operationText(operation) {
  const {
    tensor_op_name: name,
    sampler_module: module,
    sampler_name: sampler,
    tensor_op_params: text,
    ...others
  } = operation;
  const parameters = { ...parsed(text), ...others };
  const inside = Object.entries(parameters)
    .map(([key, value]) => `${key}=${listed(value)}`)
    .join(", ");
  const title = name ?? sampler ?? module ?? "";
  return inside ? `${title}(${inside})` : String(title);
}

/** @param {unknown} text JSON of an object @returns {Record<string, unknown>} */
function parsed(text) {
  if (typeof text !== "string") return {};
  try {
    const content = JSON.parse(text);
    return content && typeof content === "object" && !Array.isArray(content) ? content : { params: content };
  } catch {
    return { params: text };
  }
}

/** Lists in one line, as people write them. @param {unknown} value @returns {unknown} */
const listed = (value) =>
  Array.isArray(value) ? value.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", ") : value;
