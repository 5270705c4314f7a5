// Names with a value each as one text, for one setting of the address.

import { parseList, printList } from "./address_lists.js";

/** @param {Iterable<readonly [name: string, value: string]>} pairs */
export const printPairs = (pairs) => printList([...pairs].flat());

/** Takes any text; a name left over at the end has no value and is dropped.
 * @param {string} text @returns {Map<string, string>} */
export function parsePairs(text) {
  const parts = parseList(text);
  const pairs = new Map();
  for (let at = 0; at + 1 < parts.length; at += 2) pairs.set(parts[at], parts[at + 1]);
  return pairs;
}
