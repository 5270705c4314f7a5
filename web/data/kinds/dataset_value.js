// Formats values of a dataset pipeline.

/** @typedef {string | number | boolean | null | Plain[] | {[name: string]: Plain}} Plain */

/** On one line: lists with commas, objects as name=value.
 * @param {Plain} value @returns {string} */
export function valueText(value) {
  if (value === null) return "–";
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (typeof value === "object") return entriesText(value);
  return String(value);
}

/** @param {Record<string, Plain>} entries */
const entriesText = (entries) =>
  Object.entries(entries)
    .map(
      ([name, value]) =>
        `${name}=${typeof value === "object" && value !== null ? `(${valueText(value)})` : valueText(value)}`,
    )
    .join(", ");

/** Splits an operation or sampler into its name and its parameters, which MindSpore stores as a JSON string.
 * @param {Record<string, Plain>} operation @returns {{name: string, parameters: Record<string, Plain>}} */
export function parseOperation(operation) {
  const { tensor_op_name: op, sampler_type: sampler, op_type: type, tensor_op_params: json, ...rest } = operation;
  const name = [op, sampler, type].find((candidate) => typeof candidate === "string" && candidate) ?? "";
  const read = parsed(json);
  return {
    name: String(name),
    parameters: { ...(read ?? (json === undefined || json === "" ? {} : { tensor_op_params: json })), ...rest },
  };
}

/** "Resize(size=32, 32)". @param {Record<string, Plain>} operation */
export function operationText(operation) {
  const { name, parameters } = parseOperation(operation);
  const inside = entriesText(parameters);
  return inside ? `${name}(${inside})` : name;
}

/** @param {Plain | undefined} text @returns {Record<string, Plain> | null} */
function parsed(text) {
  if (typeof text !== "string") return null;
  try {
    const value = JSON.parse(text);
    return value && typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Truncates to a width in Latin characters; Chinese characters are twice as wide.
 * @param {string} text @param {number} most */
export function truncated(text, most) {
  let width = 0;
  let end = 0;
  for (const sign of text) {
    width += /[\u1100-\u{3ffff}]/u.test(sign) ? 2 : 1;
    if (width > most) return `${text.slice(0, end).trimEnd()}…`;
    if (width < most) end += sign.length;
  }
  return text;
}
