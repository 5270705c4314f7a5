// The address of a view as it is stored: without what belongs to a person rather than to the view.

import { parseView, printView } from "./address.js";

/** @typedef {import("./address.js").View} View */

/** @param {View} view */
export const storedAddress = (view) => printView({ ...view, theme: "", lang: "", saved: "" });

/** Returns a view with the state of a stored address. @param {View} view @param {string} address @param {string} name
 * @returns {View} */
export const withStored = (view, address, name) => ({
  ...parseView(address),
  theme: view.theme,
  lang: view.lang,
  saved: name,
});

/** Are two addresses of the same state, however they are written? @param {string} a @param {string} b */
export const areAlike = (a, b) => storedAddress(parseView(a)) === storedAddress(parseView(b));

/** Returns the parameters in which two addresses differ, with their values.
 * @param {string} theirs @param {string} mine
 * @returns {Array<{name: string, theirs: string, mine: string}>} */
export function differences(theirs, mine) {
  const [a, b] = [theirs, mine].map((address) => new URLSearchParams(storedAddress(parseView(address))));
  const joined = (/** @type {URLSearchParams} */ parameters, /** @type {string} */ name) =>
    parameters.getAll(name).join(", ");
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((name) => ({ name, theirs: joined(a, name), mine: joined(b, name) }))
    .filter((row) => row.theirs !== row.mine);
}
