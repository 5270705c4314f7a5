// A workspace to start with: charts of the likely metrics, and the best value of each run.

import { likelyMetrics } from "../../../data/series/metrics.js";
import { addPanel, addSection } from "./edit.js";

/** @typedef {import("../../../data/workspaces/workspace_check.js").WorkspaceDocument} WorkspaceDocument */

const CHARTS = 6;

/** @param {readonly {tag: string, runs: number}[]} tags @param {number} runs
 * @param {{metrics: string, runs: string}} names of the sections @returns {WorkspaceDocument} */
export function startingDocument(tags, runs, names) {
  const metrics = likelyMetrics(tags, "", CHARTS);
  const pairs = metrics.slice(0, CHARTS).map((tag) => withKin(tag, tags));
  /** @type {WorkspaceDocument} */
  let document = addSection({ version: 1, sections: [], settings: {} }, names.metrics);
  for (const shown of unique(pairs)) document = addPanel(document, 0, "lines", { tags: shown });
  if (runs < 2 || !metrics.length) return document;
  document = addSection(document, names.runs);
  for (const tag of metrics.slice(0, 2)) document = addPanel(document, 1, "bars", { metric: `best:${tag}` }, 6, 4);
  return document;
}

/** The same metric of training and held-out data shares a chart.
 * @param {string} tag @param {readonly {tag: string, runs: number}[]} tags */
function withKin(tag, tags) {
  const leaf = tag.slice(tag.lastIndexOf("/") + 1);
  const kin = tags.filter(
    ({ tag: other }) => /^(train|val|valid|validation|test|eval)\/[^/]+$/.test(other) && other.endsWith(`/${leaf}`),
  );
  return kin.length > 1 && kin.some((each) => each.tag === tag) ? kin.map((each) => each.tag).sort() : [tag];
}

/** @param {string[][]} lists */
const unique = (lists) => [...new Map(lists.map((list) => [list.join("\n"), list])).values()];
