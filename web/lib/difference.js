// The difference table: what several runs say under the same names, and where they disagree.

/** @typedef {number | string | boolean} Plain */

/** One name with the value of each run, in their order; undefined = the run does not have it.
 * @typedef {{name: string, values: (Plain | undefined)[], differs: boolean, odd: boolean[]}} DifferenceRow
 * odd: which values are not the one that most runs have */

/** The rows that differ and the rows that do not, each in the order in which the names are first told.
 * @param {readonly Readonly<Record<string, Plain>>[]} tables one a run @returns {{different: DifferenceRow[], equal: DifferenceRow[]}} */
export function differenceOf(tables) {
  const names = new Set(tables.flatMap((table) => Object.keys(table)));
  const rows = [...names].map((name) => rowOf(name, tables.map((table) => (Object.hasOwn(table, name) ? table[name] : undefined))));
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
