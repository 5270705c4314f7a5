// The x axes that trainings defined with W&B's define_metric(), which are recorded as a setting of the run.

/** A scalar on the x axis is written as "tag:NAME". */
export const TAG_AXIS = "tag:";
/** The setting, a JSON object: definitions by the name of a metric, or by a pattern that ends with "*". */
export const DEFINITIONS = "wandb/metrics";

/** @param {unknown} text @returns {Record<string, any>} */
export function parseDefinitions(text) {
  try {
    const value = typeof text === "string" ? JSON.parse(text) : null;
    return value && typeof value === "object" ? value : {};
  } catch {
    return {};
  }
}

/** The tag on the x axis of another one, by its own definition or by the longest pattern; "" = none is defined.
 * @param {string} tag @param {Record<string, any>} definitions */
export function stepMetricOf(tag, definitions) {
  const names = Object.keys(definitions).filter(
    (name) => name === tag || (name.endsWith("*") && tag.startsWith(name.slice(0, -1))),
  );
  const name = names.includes(tag) ? tag : names.toSorted((a, b) => b.length - a.length)[0];
  const metric = name === undefined ? undefined : definitions[name]?.step_metric;
  return typeof metric === "string" && metric !== tag ? metric : "";
}

/** The tag on the x axis of all sources; "" = they have no or different ones.
 * @param {ReadonlyArray<{name: string, isExpression: boolean}>} sources @param {Record<string, any>} definitions */
export function commonStepMetric(sources, definitions) {
  const metrics = new Set(
    sources.map(({ name, isExpression }) => (isExpression ? "" : stepMetricOf(name, definitions))),
  );
  const [metric = ""] = metrics;
  return metrics.size === 1 ? metric : "";
}
