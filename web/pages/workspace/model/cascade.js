// The settings of a panel: its own, else its section's, else the workspace's.

/** @typedef {import("../../../data/workspaces/workspace_check.js").Settings} Settings */
/** @typedef {"workspace" | "section" | "panel"} Level */
/** The value of a setting and the level that has it; null = no level has it.
 * @typedef {{value: unknown, from: Level | null}} Resolved */

/** Settings that cascade; all others belong to the panel alone. */
export const CASCADING = [
  "axis",
  "smooth",
  "raw",
  "range",
  "log",
  "log_x",
  "legend",
  "colours",
  "outliers",
  "join",
  "rate",
  "group",
  "centre",
  "band",
];

/** @param {string} name @param {Settings} workspace @param {Settings} [section] @param {Settings} [panel]
 * @returns {Resolved} */
export function resolved(name, workspace, section = {}, panel = {}) {
  if (Object.hasOwn(panel, name)) return { value: panel[name], from: "panel" };
  if (!CASCADING.includes(name)) return { value: undefined, from: null };
  if (Object.hasOwn(section, name)) return { value: section[name], from: "section" };
  if (Object.hasOwn(workspace, name)) return { value: workspace[name], from: "workspace" };
  return { value: undefined, from: null };
}

/** The settings without one of them, so that it is inherited.
 * @param {Settings} settings @param {string} name @returns {Settings} */
export const reset = (settings, name) => Object.fromEntries(Object.entries(settings).filter(([key]) => key !== name));

/** The settings that a panel has, its own and those it inherits.
 * @param {Settings} workspace @param {Settings} section @param {Settings} panel @returns {Settings} */
export function effective(workspace, section, panel) {
  const inherited = CASCADING.flatMap((name) => {
    const { value } = resolved(name, workspace, section, panel);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...panel, ...Object.fromEntries(inherited) };
}
