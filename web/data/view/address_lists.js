// Lists as single URL settings: commas separate the parts, a backslash escapes a comma in a part.

/** @param {readonly string[]} parts */
export const printList = (parts) => parts.map((part) => part.replace(/[\\,]/g, "\\$&")).join(",");

/** Accepts any text.
 * @param {string} text @returns {string[]} */
export function parseList(text) {
  if (!text) return [];
  const parts = [""];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === ",") parts.push("");
    else parts[parts.length - 1] += text[text[at] === "\\" ? ++at : at] ?? "";
  }
  return parts;
}

/** Parses consecutive triples; an incomplete one at the end is dropped.
 * @param {string} text @returns {Array<[string, string, string]>} */
export function parseTriples(text) {
  const parts = parseList(text);
  /** @type {Array<[string, string, string]>} */
  const triples = [];
  for (let at = 0; at + 2 < parts.length; at += 3) triples.push([parts[at], parts[at + 1], parts[at + 2]]);
  return triples;
}

/** @param {Iterable<readonly [name: string, value: string]>} pairs */
export const printPairs = (pairs) => printList([...pairs].flat());

/** Accepts any text; a name without a value at the end is dropped.
 * @param {string} text @returns {Map<string, string>} */
export function parsePairs(text) {
  const parts = parseList(text);
  const pairs = new Map();
  for (let at = 0; at + 1 < parts.length; at += 2) pairs.set(parts[at], parts[at + 1]);
  return pairs;
}
