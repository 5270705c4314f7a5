// The difference table: what several runs say under the same names, and where they disagree.

/** @typedef {number | string | boolean} Plain */

/** One name with the value of each run, in their order; undefined = the run does not have it.
 * @typedef {{name: string, values: (Plain | undefined)[], differs: boolean, odd: boolean[]}} DifferenceRow
 * odd: which values are not the one that most runs have */

/** The rows that differ and the rows that do not, each in the order in which the names are first told.
 * @param {readonly Readonly<Record<string, Plain>>[]} tables one a run @returns {{different: DifferenceRow[], equal: DifferenceRow[]}} */
export function differenceOf(tables) {
  const names = new Set(tables.flatMap((table) => Object.keys(table)));
  const rows = [...names].map((name) =>
    rowOf(
      name,
      tables.map((table) => (Object.hasOwn(table, name) ? table[name] : undefined)),
    ),
  );
  return { different: rows.filter((row) => row.differs), equal: rows.filter((row) => !row.differs) };
}

/** @param {string} name @param {(Plain | undefined)[]} values @returns {DifferenceRow} */
function rowOf(name, values) {
  const written = values.map((value) => JSON.stringify(value) ?? "");
  const differs = new Set(written).size > 1;
  const usual = differs ? mostFrequent(written) : null;
  return { name, values, differs, odd: written.map((text) => differs && text !== usual) };
}

/** What more than half of them are; null when nothing is. @param {string[]} texts */
function mostFrequent(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return texts.find((text) => counts.get(text) * 2 > texts.length) ?? null;
}

/** What ends a word: a difference within one makes all of it stand out. */
const SEPARATOR = /[\s/\\,;:=_"'()[\]{}-]/;

/** How many characters texts share at their beginning and, behind those, at their end; words stay whole.
 * @param {readonly string[]} texts */
export function sameEnds(texts) {
  const [first = "", ...others] = texts;
  const shortest = Math.min(...texts.map((text) => text.length));
  let head = 0;
  while (head < shortest && others.every((text) => text[head] === first[head])) head++;
  while (head > 0 && !SEPARATOR.test(first[head - 1])) head--;
  let tail = 0;
  const from = (/** @type {string} */ text) => text[text.length - 1 - tail];
  while (tail < shortest - head && others.every((text) => from(text) === from(first))) tail++;
  while (tail > 0 && !SEPARATOR.test(first[first.length - tail])) tail--;
  return { head, tail };
}

/** A long value in lines that can be compared: JSON indented, a command line with an option a line.
 * @param {string} text @returns {string[]} */
export function linesOf(text) {
  if (/^[[{]/.test(text)) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2).split("\n");
    } catch {
      // Cut by the server, or no JSON at all.
    }
  }
  return text.split(/\n|\s(?=--?[A-Za-z])/);
}

/** The lines that all have. @param {readonly string[][]} texts each in lines */
export function sharedLines(texts) {
  const [first = [], ...others] = texts.map((lines) => new Set(lines));
  return new Set([...first].filter((line) => others.every((lines) => lines.has(line))));
}
