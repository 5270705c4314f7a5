// The title of a panel: the chosen one, or one made of what it shows.

import { texts } from "./line_settings.js";

/** @param {import("../../../data/workspaces/workspace_check.js").Panel} panel @returns {string} "" = it has no content yet */
export function titleOf({ kind, settings }) {
  if (typeof settings.title === "string" && settings.title) return settings.title;
  return TITLES[kind]?.(settings) ?? text(settings.tag);
}

/** @typedef {import("../../../data/workspaces/workspace_check.js").Settings} Settings */
/** @param {unknown} value */
const text = (value) => (typeof value === "string" ? value : "");
/** "last:loss" -> "loss". @param {unknown} value */
const columnName = (value) => text(value).replace(/^(last|min|max|best|param):/, "");

/** @type {Record<string, (settings: Settings) => string>} */
const TITLES = {
  lines: ({ tags, patterns, expressions }) => [...texts(tags), ...texts(patterns), ...texts(expressions)].join(", "),
  bars: ({ metric }) => columnName(metric),
  number: ({ metric }) => columnName(metric),
  scatter: ({ x, y }) => (x && y ? `${columnName(y)} / ${columnName(x)}` : columnName(x ?? y)),
  parallel: ({ columns }) => texts(columns).map(columnName).join(", "),
  tensors: (settings) => text(settings["tensor.tag"]),
  embeddings: (settings) => text(settings["emb.name"]),
};
