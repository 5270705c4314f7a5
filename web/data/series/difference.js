// The difference table: the values of several runs by name, and which of them differ.

/** null = recorded without a value. @typedef {number | string | boolean | null} Plain */

/** A name with the value of each run; undefined = the run does not have it.
 * @typedef {{name: string, values: (Plain | undefined)[], differs: boolean, odd: boolean[]}} DifferenceRow
 * odd: which values are not that of the majority */

/** Parameters that identify a run: they differ between any two runs. */
const IDENTITY = new Set(["wandb/id", "wandb/name"]);

/** Separates the parameters that identify a run from the others.
 * @param {Readonly<Record<string, Plain>>} parameters */
export function splitIdentity(parameters) {
  const entries = Object.entries(parameters);
  return {
    identity: Object.fromEntries(entries.filter(([name]) => IDENTITY.has(name))),
    others: Object.fromEntries(entries.filter(([name]) => !IDENTITY.has(name))),
  };
}

/** Separates the rows that differ from the equal ones, both in the order in which the names first appear.
 * @param {readonly Readonly<Record<string, Plain>>[]} tables one per run
 * @returns {{different: DifferenceRow[], equal: DifferenceRow[]}} */
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
  const majority = differs ? mostFrequent(written) : null;
  return { name, values, differs, odd: written.map((text) => differs && text !== majority) };
}

/** Returns the text that makes up more than half of them, or null. @param {string[]} texts */
function mostFrequent(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return texts.find((text) => counts.get(text) * 2 > texts.length) ?? null;
}

/** Word boundaries: if a part of a word differs, all of it is highlighted. */
const SEPARATOR = /[\s/\\,;:=_"'()[\]{}-]/;

/** Counts the characters that texts share at their start and, after those, at their end; words stay whole.
 * @param {readonly string[]} texts */
export function commonEnds(texts) {
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

/** Splits a long value into comparable lines: indented JSON, or a command line with one option per line.
 * @param {string} text @returns {string[]} */
export function splitLines(text) {
  if (/^[[{]/.test(text)) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2).split("\n");
    } catch {
      // Truncated by the server, or not JSON.
    }
  }
  return text.split(/\n|\s(?=--?[A-Za-z])/);
}

/** Returns the lines that all texts contain. @param {readonly string[][]} texts as lists of lines */
export function sharedLines(texts) {
  const [first = [], ...others] = texts.map((lines) => new Set(lines));
  return new Set([...first].filter((line) => others.every((lines) => lines.has(line))));
}
