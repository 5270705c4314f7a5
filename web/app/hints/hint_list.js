// The tips and their pages, and which one is next.

/** @typedef {import("../../data/view/address.js").PageName} PageName */

/** Without pages, a tip is for every page. In the order in which they are shown. */
export const HINTS = /** @type {const} */ ([
  { name: "zoom", pages: ["scalars"] },
  { name: "cursor", pages: ["scalars"] },
  { name: "sort", pages: ["overview", "lineage"] },
  { name: "compare", pages: ["overview"] },
  { name: "brush", pages: ["lineage"] },
  { name: "only", pages: ["scalars", "histograms", "images", "tensors", "text"] },
  { name: "search", pages: ["scalars", "histograms", "images", "tensors", "text"] },
  { name: "views", pages: [] },
  { name: "link", pages: [] },
  { name: "keys", pages: [] },
]);

/** @param {PageName} page @param {ReadonlySet<string>} dismissed names; "off" = all
 * @returns {(typeof HINTS)[number] | null} */
export function nextHint(page, dismissed) {
  if (dismissed.has("off")) return null;
  const isFor = (/** @type {readonly string[]} */ pages) => !pages.length || pages.includes(page);
  return HINTS.find(({ name, pages }) => isFor(pages) && !dismissed.has(name)) ?? null;
}

/** @param {string} text as stored; damaged = none */
export function parseDismissed(text) {
  try {
    const names = JSON.parse(text);
    return new Set(Array.isArray(names) ? names.map(String) : []);
  } catch {
    return new Set();
  }
}
