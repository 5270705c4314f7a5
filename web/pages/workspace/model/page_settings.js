// The settings of pages in those of a panel or a workspace: texts, with names such as "emb.dims".

/** @param {import("../../../data/workspaces/workspace_check.js").Settings} settings @returns {Record<string, string>} */
export const textsIn = (settings) =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      name.includes(".") && typeof value === "string" ? [[name, value]] : [],
    ),
  );
