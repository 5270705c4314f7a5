// Flattens a dataset pipeline to names and values.

/** @typedef {import("./client.js").Stage} Stage */

/** Parameters of stages that do not affect the data. */
const IGNORED = new Set(["connector_queue_size"]);

/** The parameters of all stages, such as "Batch.batch_size"; repeated stages are numbered, starting at the source.
 * @param {Stage} last @returns {Record<string, unknown>} */
export function flatPipeline(last) {
  const stages = fromSources(last);
  /** @type {Record<string, unknown>} */
  const flat = { pipeline: stages.map(({ op_type: type }) => type || "?").join(" › ") };
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const { op_type: type, parameters, operations, sampler } of stages) {
    const number = (seen.get(type) ?? 0) + 1;
    seen.set(type, number);
    const title = number > 1 ? `${type || "?"} ${number}` : type || "?";
    for (const [name, value] of Object.entries(parameters))
      if (!IGNORED.has(name)) flat[`${title}.${name}`] = displayValue(value);
    if (operations.length) flat[`${title}.operations`] = operations.map(operationText).join(", ");
    if (sampler) flat[`${title}.sampler`] = operationText(sampler);
  }
  return flat;
}

/** The stages, sources first, without recursion. @param {Stage} last @returns {Stage[]} */
function fromSources(last) {
  /** @type {Stage[]} */
  const stages = [];
  const pending = [last];
  for (let stage = pending.pop(); stage; stage = pending.pop()) {
    stages.push(stage);
    pending.push(...stage.children);
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
    .map(([key, value]) => `${key}=${displayValue(value)}`)
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

/** Lists as comma-separated text. @param {unknown} value @returns {unknown} */
const displayValue = (value) =>
  Array.isArray(value)
    ? value.map((item) => (typeof item === "string" ? item : JSON.stringify(item))).join(", ")
    : value;
