// What is stored of a view: its page, its address without what belongs to a person, and its workspace apart.

import { DEFAULT_VIEW, parseView, printView } from "./address.js";

/** @typedef {import("./address.js").View} View */
/** @typedef {import("./views_client.js").ViewContent} ViewContent */

/** The setting with the document of a workspace, as JSON. */
const WORKSPACE = "ws.doc";

/** Returns what is stored of a view. @param {View} view @returns {ViewContent} */
export function contentOf(view) {
  const { [WORKSPACE]: text = "", ...own } = view.own;
  const workspace = documentOf(text);
  const address = printView({ ...view, theme: "", lang: "", saved: "", own: workspace ? own : view.own });
  return { page: view.page, address, workspace };
}

/** @param {string} text @returns {object | null} null = none, or invalid: it stays in the address */
function documentOf(text) {
  try {
    const document = text ? JSON.parse(text) : null;
    return typeof document === "object" ? document : null;
  } catch {
    return null;
  }
}

/** Returns a view with the stored state. @param {View} view @param {Pick<ViewContent, "address" | "workspace">} content
 * @param {string} name @returns {View} */
export function withContent(view, { address, workspace }, name) {
  const stored = parseView(address);
  const own = workspace ? { ...stored.own, [WORKSPACE]: JSON.stringify(workspace) } : stored.own;
  return { ...stored, own, theme: view.theme, lang: view.lang, saved: name };
}

/** The same for equal states, however their addresses are written.
 * @param {Pick<ViewContent, "address" | "workspace">} content */
const formOf = (content) => JSON.stringify(contentOf(withContent(DEFAULT_VIEW, content, "")));

/** @param {Pick<ViewContent, "address" | "workspace">} a @param {Pick<ViewContent, "address" | "workspace">} b */
export const areAlike = (a, b) => formOf(a) === formOf(b);

/** Returns the parameters in which two addresses differ, with their values.
 * @param {string} theirs @param {string} mine
 * @returns {Array<{name: string, theirs: string, mine: string}>} */
export function differences(theirs, mine) {
  const [a, b] = [theirs, mine].map((address) => new URLSearchParams(address.replace(/^#/, "")));
  const joined = (/** @type {URLSearchParams} */ parameters, /** @type {string} */ name) =>
    parameters.getAll(name).join(", ");
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((name) => ({ name, theirs: joined(a, name), mine: joined(b, name) }))
    .filter((row) => row.theirs !== row.mine);
}
