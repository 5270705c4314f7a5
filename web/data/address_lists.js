// A list as one text, for one setting of the address: commas between its parts, a backslash before a comma inside one.

/** @param {readonly string[]} parts */
export const printList = (parts) => parts.map((part) => part.replace(/[\\,]/g, "\\$&")).join(",");

/** Takes any text.
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

/** A list of threes laid end to end; what is left over at the end is no three.
 * @param {string} text @returns {Array<[string, string, string]>} */
export function parseThrees(text) {
  const parts = parseList(text);
  /** @type {Array<[string, string, string]>} */
  const threes = [];
  for (let at = 0; at + 2 < parts.length; at += 3) threes.push([parts[at], parts[at + 1], parts[at + 2]]);
  return threes;
}
