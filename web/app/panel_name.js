// The name of a panel in the URL: "keys", or "run:" and the name of a run.

/** @typedef {{kind: "run", run: string} | {kind: "keys"} | null} Panel */

const RUN = "run:";

/** @param {Panel} panel */
export const printPanel = (panel) => (panel?.kind === "run" ? `${RUN}${panel.run}` : (panel?.kind ?? ""));

/** @param {string} name @returns {Panel} */
export function parsePanel(name) {
  if (name.length > RUN.length && name.startsWith(RUN)) return { kind: "run", run: name.slice(RUN.length) };
  return name === "keys" ? { kind: "keys" } : null;
}
